#include "tools/stowage/inputs/size_option.h"

#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::cli {

absl::StatusOr<int64_t> ParseSize(const std::string& option,
                                  const std::string& text) {
  const std::optional<int64_t> bytes = session::ParseSize(text);
  if (bytes && *bytes > 0) return *bytes;
  return absl::InvalidArgumentError(absl::StrCat(
      option, " ", text, ": not a size; give ", session::kSizeForms));
}

}  // namespace stowage::cli
