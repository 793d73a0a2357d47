// Runs systems that fetch a kernel's tensor when it is not there, make room
// when memory is full, and may swap ahead of time by a script. LRU, unified
// memory, DeepUM, vDNN, FlashNeuron, Capuchin, SwapAdvisor and G10 differ in
// their rules alone.
//
//   const SwapRules rules{.victims = VictimOrder::kLeastRecentlyUsed};
//   SwapRun run = RunSwapSystem(facts, rules, budget_bytes);
#ifndef STOWAGE_POLICIES_SWAP_SWAP_SYSTEM_H_
#define STOWAGE_POLICIES_SWAP_SWAP_SYSTEM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/planning/plan_policy.h"
#include "policies/swap/step_facts.h"

namespace stowage::policies {

// Names the order in which tensors make room when a kernel's tensors do not
// fit.
enum class VictimOrder {
  kLeastRecentlyUsed,
  kFirstIn,
  kFarthestNextUse,
};

// Asks for a copy of the tensor from `boundary` on, if it is on the other side.
struct SwapTrigger {
  KernelIndex boundary = 0;
  TensorIndex tensor = 0;
  // The boundary at which the copy is waited for; -1: only when it matters.
  KernelIndex wait_by = -1;
};

struct SwapRules {
  VictimOrder victims = VictimOrder::kLeastRecentlyUsed;
  // Copies out, by boundary.
  std::vector<SwapTrigger> outs;
  // Copies in, by boundary. Each starts at `boundary` or as soon after it as
  // there will be room until the tensor's next use. Among those that wait, the
  // one with the next use goes first.
  std::vector<SwapTrigger> ins;
  // As in BuildInput.
  std::vector<TierIndex> first_slow_tier;
  // Copies in start this many kernels ahead of use; 0: at use. Room is made
  // ahead, too, with victims that none of those kernels uses.
  KernelIndex ahead_kernels = 0;
};

struct SwapRun {
  PlacementDecision decision = std::vector<Residency>();
  int64_t step_ns = 0;  // estimated
  // Bytes that were copied in when a kernel already needed them: the script or
  // the prefetcher knew nothing of them, or too late.
  int64_t demand_bytes = 0;
  // Bytes that were moved out because a kernel lacked room.
  int64_t evicted_bytes = 0;
  std::vector<std::string> notes;  // as in Plan

  bool follows_script() const {
    return demand_bytes == 0 && evicted_bytes == 0;
  }
};

// Runs the step of the steady state (SteadyStart). It holds at most
// max(budget_bytes, workload.need_bytes[k]) at kernel k. Does nothing once
// cancelled.
SwapRun RunSwapSystem(const StepFacts& facts, const SwapRules& rules,
                      int64_t budget_bytes);

using DecideSwaps =
    absl::FunctionRef<SwapRun(const StepFacts& facts, int64_t budget_bytes)>;

// Plans like PlanByDeciding, with a run of a swapping system. The notes of the
// run become those of the plan.
absl::StatusOr<Plan> PlanBySwapping(const Graph& graph,
                                    const MemorySystem& system,
                                    const PlanOptions& options,
                                    std::string_view policy,
                                    DecideSwaps decide);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_SWAP_SYSTEM_H_
