// Extracts a file from a tar archive in memory, with libarchive.
//
//   if (IsTar(bytes)) bytes = *ExtractMember(bytes, "rank0.json");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {

bool IsTar(absl::string_view bytes);

// Returns the content of a file. `member` is its full name or the last part; it
// may be empty if the archive has one file. INVALID_ARGUMENT, which lists the
// members: none or several match.
absl::StatusOr<std::string> ExtractMember(absl::string_view bytes,
                                          const std::string& member);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_
