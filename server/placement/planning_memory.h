// Estimates how much memory making a plan takes, before it is made.
//
//   int64_t bytes = EstimatePlanningBytes(row.size_bytes, "belady");
#ifndef STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_
#define STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_

#include <cstdint>
#include <string_view>

namespace stowage {

// Returns the estimate for admission: on the safe side of what was measured,
// within a factor of about two. `graph_bytes` is the size of the serialized
// graph.
int64_t EstimatePlanningBytes(int64_t graph_bytes, std::string_view policy);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_
