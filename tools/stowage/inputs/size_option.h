// Reads a size that an option takes.
//
//   absl::StatusOr<int64_t> fast_bytes = ParseSize("--fast", "8GiB");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_SIZE_OPTION_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_SIZE_OPTION_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace stowage::cli {

// Returns the bytes, > 0. INVALID_ARGUMENT names the option and its value.
absl::StatusOr<int64_t> ParseSize(const std::string& option,
                                  const std::string& text);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_SIZE_OPTION_H_
