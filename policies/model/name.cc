#include "policies/model/name.h"

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace stowage::policies {
namespace {

constexpr size_t kMaxNameLength = 128;

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
}

}  // namespace

absl::Status CheckName(std::string_view field, std::string_view value) {
  if (!value.empty() && value.size() <= kMaxNameLength &&
      std::all_of(value.begin(), value.end(), IsNameCharacter)) {
    return absl::OkStatus();
  }
  const std::string shown(value.substr(0, kMaxNameLength));
  return absl::InvalidArgumentError(
      absl::StrCat(std::string(field), " is '", absl::CHexEscape(shown),
                   "'; use 1 to 128 letters, digits, '.', '_' or '-'"));
}

}  // namespace stowage::policies
