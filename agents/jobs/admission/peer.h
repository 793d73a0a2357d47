// Tells who is at the other end of a job's socket, as the operating system
// says.
//
//   absl::StatusOr<Peer> peer = PeerOf(socket);
//   absl::Status may = CheckMayMakeFiles(*peer, "/mnt/nvme/alice");
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_PEER_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_PEER_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace stowage::agent {

// Describes a process as it was when it connected, with its number in the
// agent's namespace. Plain data.
struct Peer {
  pid_t pid = 0;
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary ones
};

// Returns the peer of `socket`. FAILED_PRECONDITION if its process has no
// number in the agent's namespace. Does not block.
absl::StatusOr<Peer> PeerOf(int socket);

// Returns OK if the peer's user may make files in `directory`, an absolute path
// without symbolic links. Judges by owner, group and mode of the directory and
// of all above it, and does not look at access lists. PERMISSION_DENIED names
// the directory that refuses. What the agent's own user and root may do shows
// when the agent makes the file.
absl::Status CheckMayMakeFiles(const Peer& peer, const std::string& directory);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_PEER_H_
