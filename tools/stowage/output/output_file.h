// Writes files whole or not at all.
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

// Marks `error` as one of a file that cannot be made or written, which tells it
// from that of a call that is not permitted, whatever its code. Pure.
absl::Status OutputError(absl::Status error);
bool IsOutputError(const absl::Status& status);

// Returns OK if a file could be made there, and leaves nothing behind.
// An OutputError(), PERMISSION_DENIED, names the path and the remedy.
absl::Status CheckWritable(const std::string& path);

// Returns the first error of CheckWritable() for those paths that are files,
// that is, neither empty nor "-".
absl::Status CheckAllWritable(absl::Span<const std::string> paths);

// Makes an empty file for others to append to; what is no regular file, a pipe,
// say, is left as it is. Errors are those of CheckWritable().
absl::Status MakeEmptyFile(const std::string& path);

// Writes a file beside `path` and renames it, so that readers see the old file
// or the new one. Errors are those of CheckWritable().
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view content);

// Writes to `path`, or to stdout if it is empty or "-".
absl::Status WriteOutput(const std::string& path, absl::string_view content);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_OUTPUT_OUTPUT_FILE_H_
