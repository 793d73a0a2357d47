// One file out of a tar archive in memory, by libarchive.
//
//   if (IsTar(bytes)) bytes = *ExtractMember(bytes, "rank0.json");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage::cli {

bool IsTar(absl::string_view bytes);

// `member` is a full name or its last part; empty where the archive has one
// file only. INVALID_ARGUMENT lists the members when none or several match.
absl::StatusOr<std::string> ExtractMember(absl::string_view bytes,
                                          const std::string& member);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_TAR_ARCHIVE_H_
