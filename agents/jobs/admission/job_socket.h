// Carries the messages between a job and the agent: one greeting, one answer
// with descriptors, then silence until one side hangs up.
//
//   absl::StatusOr<Greeting> hello = ReceiveGreeting(fd, absl::Seconds(5));
//   absl::Status sent = SendWelcome(fd, welcome, descriptors);
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SOCKET_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SOCKET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agents/jobs/admission/socket_access.h"
#include "agents/tiers/owned_fd.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// Binds a socket at `path` and listens. Makes the parent directory, and removes
// a socket that a dead agent left. Nobody can connect before `access` holds.
// The descriptor does not block and closes on exec. ALREADY_EXISTS if a living
// agent answers, INVALID_ARGUMENT if the path is too long, PERMISSION_DENIED if
// the agent's user may not give the socket to the group.
absl::StatusOr<OwnedFd> ListenAt(const std::string& path,
                                 const SocketAccess& access);

// The first message of whoever connects, and the descriptors that came with it.
struct Greeting {
  std::string bytes;
  std::vector<OwnedFd> descriptors;
};

// Receives the first message, which is at most a little longer than a
// session::Hello. Blocks up to `timeout`.
absl::StatusOr<Greeting> ReceiveGreeting(int socket, absl::Duration timeout);

// Sends an answer with copies of the descriptors, in their order.
absl::Status SendWelcome(int socket, const session::Welcome& welcome,
                         const std::vector<int>& descriptors);

// Returns a Welcome that refuses the job and says why.
session::Welcome Refusal(const absl::Status& status);

// Refuses a job without waiting for its greeting. The caller then closes the
// socket. Takes the greeting if it is there, because one that is unread when
// the socket closes would take the answer with it. Does not block.
void RefuseUnheard(int socket, const absl::Status& status);

// Returns whether the peer has hung up. Drops what the peer sends, which by the
// protocol is nothing. Does not block.
bool HasHungUp(int socket);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_JOB_SOCKET_H_
