// Reads a file that somebody else made: plain, gzipped, or a tar archive.
//
//   absl::StatusOr<std::string> bytes =
//       ReadInput("trace.tar.gz", "rank0.json");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage::cli {

// Returns the content of the file at `path`, at most 1 GiB. Blocks on the disk.
// NOT_FOUND and RESOURCE_EXHAUSTED name the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Returns the same, decompressed if it is gzipped and unpacked if it is a tar
// archive. `member` names the file in the archive by its full name or the last
// part; it may be empty if there is one file. INVALID_ARGUMENT lists the
// members if it does not name one.
absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      const std::string& member);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_
