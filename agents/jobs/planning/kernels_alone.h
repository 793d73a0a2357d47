// Finds out how long kernels take without copies beside them. Each profile has
// the copies of the step that it was made of, and plans make other ones.
//
//   GraphBinding binding = BuildGraph(*profile);
//   TakeOutSlowdowns(*profile, system, &binding.graph);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_KERNELS_ALONE_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_KERNELS_ALONE_H_

#include "agents/jobs/records/captured_profile.h"
#include "stowage/v1/graph.pb.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

// Shortens the kernels of `graph`, which was built from `profile`, by what the
// copies beside them cost as the memory system says (Slowdown in
// memory_system.proto). Copies in both directions are taken to be independent.
void TakeOutSlowdowns(const CapturedProfile& profile,
                      const v1::MemorySystem& system, v1::Graph* graph);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_KERNELS_ALONE_H_
