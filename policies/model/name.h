// Checks the names of graphs and memory systems.
//
//   absl::Status status = CheckName("name", graph.name());
#ifndef STOWAGE_POLICIES_MODEL_NAME_H_
#define STOWAGE_POLICIES_MODEL_NAME_H_

#include <string_view>

#include "absl/status/status.h"

namespace stowage::policies {

// Returns INVALID_ARGUMENT unless `value` is 1 to 128 letters, digits, '.', '_'
// or '-'. The message calls it `field`.
absl::Status CheckName(std::string_view field, std::string_view value);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_NAME_H_
