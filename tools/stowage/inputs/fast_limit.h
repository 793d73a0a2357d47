// Resolves the limit on fast memory that `plan`, `compare` and `train` take.
//
//   absl::StatusOr<int64_t> limit_bytes = ResolveLimit({.fast = "40%"}, graph);
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"

namespace stowage::cli {

// The limit as the user gave it. Exactly one field is not empty. Shares are
// shares of the graph's peak.
struct FastLimit {
  std::string fast;   // "900MiB", "40%", "0.4", as `run` takes it
  std::string bytes;  // "900MiB", "943718400"
  std::string ratio;  // "0.4", "40%"
};

// Returns the limit in bytes. INVALID_ARGUMENT names the option, its value and
// what is accepted.
absl::StatusOr<int64_t> ResolveLimit(const FastLimit& limit,
                                     const policies::Graph& graph);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_FAST_LIMIT_H_
