#include "agents/jobs/admission/peer.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"

namespace stowage::agent {
namespace {

constexpr mode_t kSearch = 1;
constexpr mode_t kWrite = 2;

// Returns whether the permission bits that count for the peer include `wanted`.
bool Permits(const struct stat& directory, const Peer& peer, mode_t wanted) {
  int shift = 0;
  if (directory.st_uid == peer.uid) {
    shift = 6;
  } else if (directory.st_gid == peer.gid ||
             absl::c_linear_search(peer.groups, directory.st_gid)) {
    shift = 3;
  }
  return ((directory.st_mode >> shift) & wanted) == wanted;
}

// Returns the supplementary groups of the peer; none if the operating system
// does not tell.
std::vector<gid_t> GroupsOf(int socket) {
  std::vector<gid_t> groups(64);
  while (true) {
    socklen_t size = groups.size() * sizeof(gid_t);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &size) ==
        0) {
      groups.resize(size / sizeof(gid_t));
      return groups;
    }
    if (errno != ERANGE) return {};
    groups.resize(size / sizeof(gid_t));
  }
}

}  // namespace

absl::StatusOr<Peer> PeerOf(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return absl::ErrnoToStatus(errno, "cannot tell who connects");
  }
  if (credentials.pid <= 0) {
    return absl::FailedPreconditionError(
        "the agent does not see the job's process, which runs in another "
        "process namespace; run the agent in the host's (hostPID: true)");
  }
  return Peer{.pid = credentials.pid,
              .uid = credentials.uid,
              .gid = credentials.gid,
              .groups = GroupsOf(socket)};
}

absl::Status CheckMayMakeFiles(const Peer& peer, const std::string& directory) {
  if (peer.uid == 0 || peer.uid == geteuid()) return absl::OkStatus();
  std::filesystem::path path;
  for (const std::filesystem::path& part : std::filesystem::path(directory)) {
    path /= part;
    const mode_t wanted = path == directory ? kSearch | kWrite : kSearch;
    struct stat status;
    if (stat(path.c_str(), &status) == 0 && Permits(status, peer, wanted)) {
      continue;
    }
    return absl::PermissionDeniedError(absl::StrCat(
        "user ", peer.uid, " may not make files in '", directory, "' (see the ",
        "mode of '", path.string(), "'); name a directory that is yours"));
  }
  return absl::OkStatus();
}

}  // namespace stowage::agent
