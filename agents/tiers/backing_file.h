// Makes files without a name in a directory. They disappear with their last
// descriptor.
//
//   absl::StatusOr<OwnedFd> file = OpenBackingFile("/mnt/nvme", O_DIRECT);
#ifndef STOWAGE_AGENTS_TIERS_BACKING_FILE_H_
#define STOWAGE_AGENTS_TIERS_BACKING_FILE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/tiers/owned_fd.h"

namespace stowage::agent {

// Makes an empty file with mode 0600. `extra_flags` may hold O_DIRECT, which is
// dropped if the file system does not know it. NOT_FOUND if the directory does
// not exist, PERMISSION_DENIED if it is not writable; the message says what to
// do. Refuses symbolic links in `directory`, so that a path that was resolved
// and judged before cannot lead elsewhere now.
absl::StatusOr<OwnedFd> OpenBackingFile(const std::string& directory,
                                        int extra_flags);

// Returns an error that says why no file can be made in `directory`, by the
// errno `error`, and what to do.
absl::Status DirectoryError(int error, const std::string& directory);

// Returns the size of a file that OpenBackingFile() has made in `directory`,
// maybe in another process. INVALID_ARGUMENT if `fd` is not a file of that file
// system, or is empty.
absl::StatusOr<int64_t> BackingFileBytes(int fd, const std::string& directory);

// Returns how many bytes an unprivileged process may still write below
// `directory`.
absl::StatusOr<int64_t> FreeBytes(const std::string& directory);

// Returns a name such as "device 254:0", which directories on one file system
// share.
std::string DeviceName(const std::string& directory);

// Returns an error unless `directory` is, or leads to, a directory in which
// this process may make files: NOT_FOUND, INVALID_ARGUMENT or PERMISSION_DENIED
// with the remedy.
absl::Status CheckDirectory(const std::string& directory);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_BACKING_FILE_H_
