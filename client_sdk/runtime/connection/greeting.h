// Greets the node agent that listens at a path.
//
//   AgentAnswer answer = Greet(path, hello, /*descriptors=*/{}, timeout_ms);
//   if (!answer.error.empty()) return answer.error;
//   Map(answer.welcome, answer.descriptors);
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_GREETING_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_GREETING_H_

#include <string>
#include <vector>

#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Who was found at the path.
enum class Peer {
  kListens,
  kNone,        // there is no socket
  kLeftSocket,  // there is one, and nobody listens
  kHungUp,      // instead of answering
};

struct AgentAnswer {
  // What went wrong and what to do. Empty: the agent accepts.
  std::string error;
  Peer peer = Peer::kListens;
  session::Welcome welcome{};
  // The caller owns these; without a socket it is -1. On an error there is
  // neither.
  int socket = -1;
  std::vector<int> descriptors;
};

// Sends `hello` with `descriptors`, which stay the caller's, and returns the
// answer. Blocks for `timeout_ms` at most; says after some seconds that it
// waits.
AgentAnswer Greet(const std::string& path, const session::Hello& hello,
                  const std::vector<int>& descriptors, int timeout_ms);

// Does the same, but an agent that is being started again gets
// `restart_timeout_ms` for it: one whose socket is there, yet nobody listens,
// or that hangs up instead of answering. Says that it waits.
AgentAnswer GreetWithPatience(const std::string& path,
                              const session::Hello& hello, int timeout_ms,
                              int restart_timeout_ms);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_CONNECTION_GREETING_H_
