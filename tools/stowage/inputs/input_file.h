// Reads a file that somebody else made: plain, gzipped, or a tar archive.
//
//   absl::StatusOr<std::string> bytes = ReadInput("trace.tar.gz",
//   "rank0.json");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_

#include <string>

#include "absl/status/statusor.h"

namespace stowage::cli {

// The content of the file at `path`, at most 1 GiB. Blocks on the disk.
// NOT_FOUND, PERMISSION_DENIED or RESOURCE_EXHAUSTED name the path.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// The same, decompressed where it is gzipped and unpacked where it is a tar
// archive: then `member` names the file in it, by its full name or the last
// part. An empty `member` serves where there is one file only;
// INVALID_ARGUMENT lists the members otherwise.
absl::StatusOr<std::string> ReadInput(const std::string& path,
                                      const std::string& member);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_INPUT_FILE_H_
