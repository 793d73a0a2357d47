// Checks the first message of a job.
//
//   absl::StatusOr<JobRequest> job = ParseHello(bytes, peer, defaults);
#ifndef STOWAGE_AGENTS_JOBS_HELLO_H_
#define STOWAGE_AGENTS_JOBS_HELLO_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/jobs/peer.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {

// Holds what jobs get that do not ask for something else: the agent's flags.
struct JobDefaults {
  std::string fast = "unlimited";
  std::string slow;
  std::string policy;
};

struct JobRequest {
  Peer peer;           // not of the hello: whoever sent it
  std::string run_id;  // empty, or letters, digits, '.', '_', '-'
  std::string command;
  session::Limit fast_limit;
  std::string slow;
  std::string policy;
};

// Checks `bytes`, which came from the socket. INVALID_ARGUMENT for a message
// that is not a Hello of this version, strings without an end, a run id that is
// no file name or a limit that does not parse; the message says what to do.
// Pure.
absl::StatusOr<JobRequest> ParseHello(absl::string_view bytes, Peer peer,
                                      const JobDefaults& defaults);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_HELLO_H_
