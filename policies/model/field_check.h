// Checks of single fields of messages that others wrote, with one wording for
// what is refused.
//
//   absl::Status status = CheckRange("kernels[3].gap_ns", gap_ns, 0, kMostNs);
#ifndef STOWAGE_POLICIES_MODEL_FIELD_CHECK_H_
#define STOWAGE_POLICIES_MODEL_FIELD_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::policies {

// Returns INVALID_ARGUMENT: "`field` is `value`; `remedy`".
absl::Status RefuseField(const std::string& field, const absl::AlphaNum& value,
                         const std::string& remedy);

// Refuses a value that is not from `low` to `high`, both included.
absl::Status CheckRange(const std::string& field, int64_t value, int64_t low,
                        int64_t high);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_FIELD_CHECK_H_
