#include "policies/baselines/first_touch.h"

#include <algorithm>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_policy.h"

namespace stowage::policies {
namespace {

// Returns tensors in the order of allocation: those alive as the step begins,
// then births by kernel.
std::vector<TensorIndex> AllocationOrder(const Graph& graph) {
  std::vector<TensorIndex> order;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (graph.tensors[t].alive_at_start()) order.push_back(t);
  }
  const Groups births = BirthsByKernel(graph);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (TensorIndex t : births[k]) {
      if (!graph.tensors[t].wraps()) order.push_back(t);
    }
  }
  return order;
}

// Returns whether the tensor fits beside those that were allocated before it.
bool FitsFor(const std::vector<int64_t>& held_bytes, const Residency& life,
             int64_t bytes, int64_t budget_bytes) {
  return std::all_of(
      held_bytes.begin() + life.begin, held_bytes.begin() + life.end,
      [&](int64_t held) { return held + bytes <= budget_bytes; });
}

std::vector<Residency> DecideFirstTouch(const Graph& graph,
                                        const Workload& workload,
                                        int64_t budget_bytes) {
  std::vector<std::vector<Residency>> lives(graph.tensors.size());
  std::vector<int64_t> held_bytes(graph.kernels.size() + 1, 0);
  const auto hold = [&](TensorIndex t) {
    for (const Residency& life : lives[t]) {
      for (KernelIndex b = life.begin; b < life.end; ++b) {
        held_bytes[b] += RoundUpToPlacement(graph.tensors[t].size_bytes);
      }
    }
  };
  for (const Residency& life : AllFastResidencies(graph)) {
    lives[life.tensor].push_back(life);
  }
  std::vector<Residency> residencies;
  const auto keep = [&](TensorIndex t) {
    hold(t);
    residencies.insert(residencies.end(), lives[t].begin(), lives[t].end());
  };
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (!graph.tensors[t].movable()) keep(t);
  }
  const int64_t room_bytes = std::min(budget_bytes, workload.arena_bytes);
  for (TensorIndex t : AllocationOrder(graph)) {
    if (workload.cancellation.IsCancelled()) break;
    const int64_t bytes = RoundUpToPlacement(graph.tensors[t].size_bytes);
    const bool fits = std::all_of(
        lives[t].begin(), lives[t].end(), [&](const Residency& life) {
          return FitsFor(held_bytes, life, bytes, room_bytes);
        });
    if (graph.tensors[t].movable() && fits) keep(t);
  }
  std::stable_sort(residencies.begin(), residencies.end(),
                   [](const Residency& a, const Residency& b) {
                     return a.tensor < b.tensor;
                   });
  return residencies;
}

}  // namespace

std::string_view FirstTouchPolicy::name() const { return "first-touch"; }

std::string_view FirstTouchPolicy::description() const {
  return "NUMA first touch: fast while there is room, never moved";
}

absl::StatusOr<Plan> FirstTouchPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  if (!HasAddressableSlowTier(system)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "first-touch needs a slower tier that kernels can use in place, and '",
        system.name, "' has none; use lru or belady"));
  }
  return PlanByDeciding(graph, system, options, name(),
                        [&](const Workload& workload, int64_t budget_bytes) {
                          return DecideFirstTouch(graph, workload,
                                                  budget_bytes);
                        });
}

}  // namespace stowage::policies
