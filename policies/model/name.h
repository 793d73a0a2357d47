// Names that graphs and memory systems may have.
//
//   absl::Status status = CheckName("name", graph.name());
#ifndef STOWAGE_POLICIES_MODEL_NAME_H_
#define STOWAGE_POLICIES_MODEL_NAME_H_

#include <string_view>

#include "absl/status/status.h"

namespace stowage::policies {

// INVALID_ARGUMENT unless `value` is 1 to 128 letters, digits, '.', '_' or '-'.
// `field` is what the message calls it.
absl::Status CheckName(std::string_view field, std::string_view value);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_NAME_H_
