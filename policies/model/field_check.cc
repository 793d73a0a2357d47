#include "policies/model/field_check.h"

namespace stowage::policies {

absl::Status RefuseField(const std::string& field, const absl::AlphaNum& value,
                         const std::string& remedy) {
  return absl::InvalidArgumentError(
      absl::StrCat(field, " is ", value, "; ", remedy));
}

absl::Status CheckRange(const std::string& field, int64_t value, int64_t low,
                        int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return RefuseField(field, value,
                     absl::StrCat("it must be from ", low, " to ", high));
}

}  // namespace stowage::policies
