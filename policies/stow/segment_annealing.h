// Improves the stays of a whole plan by simulated annealing (Kirkpatrick,
// Gelatt, Vecchi, 1983) with the simulator as the judge: what it knows of lanes,
// waiting and kernels that run longer, no rule that looks at one tensor sees.
//
//   BuildInput better = AnnealSegments(graph, system, input,
//                                      {.proposals = 5000});
//
// Deterministic, unless a deadline ends it.
#ifndef STOWAGE_POLICIES_STOW_SEGMENT_ANNEALING_H_
#define STOWAGE_POLICIES_STOW_SEGMENT_ANNEALING_H_

#include <cstdint>

#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan_builder.h"

namespace stowage {

struct AnnealingEffort {
  int64_t proposals = 5000;
  // Of the limit, what is left free, so that addresses are found.
  double free_share = 0.005;
  // No proposal is judged long after this.
  absl::Time deadline = absl::InfiniteFuture();
};

// What takes least of what was seen, without addresses. `input` is one that
// BuildPlan makes a plan of.
BuildInput AnnealSegments(const Graph& graph, const MemorySystem& system,
                          BuildInput input, const AnnealingEffort& effort);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_SEGMENT_ANNEALING_H_
