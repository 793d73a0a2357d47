// A nameless file in a directory: gone when its last descriptor is.
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

// Makes the file, empty, with mode 0600. `extra_flags` may hold O_DIRECT, which
// is dropped where the file system does not know it. NOT_FOUND when the
// directory does not exist, PERMISSION_DENIED when it is not writable; the
// message says what to do. A symbolic link in `directory` is refused: whoever
// resolved the path and judged it must not be led elsewhere since.
absl::StatusOr<OwnedFd> OpenBackingFile(const std::string& directory,
                                        int extra_flags);

// What to tell of `directory`, in which a file cannot be made because of the
// errno `error`, and what to do.
absl::Status DirectoryError(int error, const std::string& directory);

// Bytes an unprivileged process may still write below `directory`.
absl::StatusOr<int64_t> FreeBytes(const std::string& directory);

// "device 254:0": what directories on one file system share.
std::string DeviceName(const std::string& directory);

// NOT_FOUND, INVALID_ARGUMENT or PERMISSION_DENIED with the remedy, unless
// `directory` is, or leads to, one in which this process may make files.
absl::Status CheckDirectory(const std::string& directory);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_BACKING_FILE_H_
