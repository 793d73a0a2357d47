// Makes Sentinel's decisions for a step: the length of the migration intervals
// and, interval by interval, whether to wait for late fetches (IV-D).
//
//   SentinelDecision decision = DecideSentinel(
//       graph, system, workload, layers, stage_all, /*length=*/0, deadline);
//
// Deterministic unless the deadline cuts it short.
#ifndef STOWAGE_POLICIES_SENTINEL_SENTINEL_SEARCH_H_
#define STOWAGE_POLICIES_SENTINEL_SENTINEL_SEARCH_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "policies/intervals/layers.h"
#include "policies/intervals/trial.h"
#include "policies/model/memory_system.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct SentinelDecision {
  IntervalChoice choice;
  // What the planner expects kernels to take.
  std::vector<int64_t> kernel_ns;
  TrialResult result;
  bool satisfies_space = false;  // equation 1
  int32_t trial_steps = 0;       // steps that test-and-trial takes
  bool out_of_time = false;
};

// Returns the best decision among those that the paper's procedure visits.
// `length` fixes the interval length; 0 searches for one.
SentinelDecision DecideSentinel(const Graph& graph, const MemorySystem& system,
                                const Workload& workload, const Layers& layers,
                                bool stage_all, LayerIndex length,
                                absl::Time deadline);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_SENTINEL_SEARCH_H_
