// Tries decisions of migration intervals in the simulator, which stands in for
// the training steps that Sentinel and ReDL spend on trials.
//
//   TrialResult result = TryIntervals(graph, system, workload, layers,
//                                     {.length = 8}, kernel_ns);
//
// Pure function.
#ifndef STOWAGE_POLICIES_INTERVALS_TRIAL_H_
#define STOWAGE_POLICIES_INTERVALS_TRIAL_H_

#include <cstdint>
#include <limits>
#include <set>
#include <vector>

#include "policies/intervals/interval_planner.h"
#include "policies/intervals/layers.h"
#include "policies/model/memory_system.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct IntervalChoice {
  LayerIndex length = 1;
  IntervalRules rules;
};

struct TrialResult {
  int64_t step_time_ns = std::numeric_limits<int64_t>::max();
  double locality = 0;
  // By kernel: its time with its gap, without what was waited for.
  std::vector<int64_t> kernel_ns;
  std::set<int32_t> late;  // see IntervalOutcome
  int64_t crowded = 0;
  int64_t homeless = 0;
};

// Returns what a step takes when intervals are decided so. Addresses are left
// out, since they do not change the time. `kernel_ns` is what the planner
// expects. Once the workload's plan is cancelled, it returns a result that
// takes for ever.
TrialResult TryIntervals(const Graph& graph, const MemorySystem& system,
                         const Workload& workload, const Layers& layers,
                         const IntervalChoice& choice,
                         const std::vector<int64_t>& kernel_ns);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_TRIAL_H_
