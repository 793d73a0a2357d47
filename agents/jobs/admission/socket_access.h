// Says who may connect to the agent's socket, beside its own user and root.
//
//   absl::StatusOr<OwnedFd> socket =
//       ListenAt("/run/stowage/agent.sock", {.mode = 0660, .group = 1000});
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_SOCKET_ACCESS_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_SOCKET_ACCESS_H_

#include <sys/types.h>

#include <optional>

namespace stowage::agent {

// Plain data.
struct SocketAccess {
  mode_t mode = 0600;
  std::optional<gid_t> group;  // none: that of the agent's user
  // The one user whose jobs are served; none: all whom the mode lets in.
  std::optional<uid_t> user;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_SOCKET_ACCESS_H_
