// The limit on fast memory as `plan` and `compare` take it.
//
//   absl::StatusOr<int64_t> limit_bytes = ResolveLimit({.ratio = 0.4}, graph);
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::cli {

// Exactly one of the two is given.
struct FastLimit {
  std::string bytes;            // "900MiB", "943718400"; empty: not given
  std::optional<double> ratio;  // of the graph's peak, in (0, 1]
};

// INVALID_ARGUMENT names the option, its value and what is accepted.
absl::StatusOr<int64_t> ResolveLimit(const FastLimit& limit,
                                     const Graph& graph);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_
