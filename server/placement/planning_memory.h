// Estimates how much memory it will take to make a plan.
//
//   int64_t bytes = EstimatePlanningBytes(row.size_bytes, "belady");
#ifndef STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_
#define STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_

#include <cstdint>
#include <string_view>

namespace stowage {

// Returns an estimate in bytes: no less than what was measured, and at most
// about twice as much. `graph_bytes` is the size of the serialised graph.
int64_t EstimatePlanningBytes(int64_t graph_bytes, std::string_view policy);

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLANNING_MEMORY_H_
