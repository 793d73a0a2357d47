// Carries the messages between a job and the agent: one greeting, one answer
// with descriptors, then silence until one side hangs up.
//
//   absl::StatusOr<std::string> hello = ReceiveHello(fd, absl::Seconds(5));
//   SendWelcome(fd, welcome, descriptors);
#ifndef STOWAGE_AGENTS_JOBS_JOB_SOCKET_H_
#define STOWAGE_AGENTS_JOBS_JOB_SOCKET_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "agents/jobs/socket_access.h"
#include "agents/tiers/owned_fd.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {

// Binds and listens at `path`; removes a socket that a dead agent left there.
// ALREADY_EXISTS when a living one answers, INVALID_ARGUMENT when the path is
// too long, PERMISSION_DENIED when the agent's user may not give the socket to
// the group; makes the parent directory. Nobody connects before `access` holds.
// Descriptor: non-blocking, close-on-exec.
absl::StatusOr<OwnedFd> ListenAt(const std::string& path,
                                 const SocketAccess& access);

// Receives the first message, which is at most a little longer than a
// session::Hello. Blocks up to `timeout`.
absl::StatusOr<std::string> ReceiveHello(int socket, absl::Duration timeout);

// Sends an answer with descriptors in the given order; the caller keeps its
// own.
absl::Status SendWelcome(int socket, const session::Welcome& welcome,
                         const std::vector<int>& descriptors);

// Makes a Welcome that refuses.
session::Welcome Refusal(const absl::Status& status);

// Refuses without waiting for the greeting; the caller closes the socket then.
// A greeting that is unread when a socket is closed would take the answer with
// it. Does not block.
void RefuseUnheard(int socket, const absl::Status& status);

// Reads and drops what the peer sends, which by the protocol is nothing.
// Returns true when the peer has hung up. Does not block.
bool HasHungUp(int socket);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_JOB_SOCKET_H_
