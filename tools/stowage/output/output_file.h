// Files that the command line writes: whole or not at all.
//
//   absl::Status checked = CheckWritable(path);       // before hours of work
//   absl::Status written = WriteFileAtomically(path, text);
#ifndef STOWAGE_TOOLS_STOWAGE_OUTPUT_OUTPUT_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_OUTPUT_OUTPUT_FILE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace stowage::cli {

// PERMISSION_DENIED, naming the directory and the remedy, when a file could
// not be made there. Leaves nothing behind.
absl::Status CheckWritable(const std::string& path);

// The first error of CheckWritable among those that are files: neither empty
// nor "-".
absl::Status CheckAllWritable(absl::Span<const std::string> paths);

// Writes beside `path` and renames: readers see the old file or the new one.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content);

// To `path`, or to stdout where it is empty or "-".
absl::Status WriteOutput(const std::string& path, absl::string_view content);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_OUTPUT_FILE_H_
