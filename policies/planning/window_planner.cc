#include "policies/planning/window_planner.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "policies/model/graph_proto.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

absl::StatusOr<Plan> WindowPlanner::MakePlan(const Graph& graph,
                                             const MemorySystem& system,
                                             const PlanOptions& options) const {
  const std::optional<Graph> with_windows =
      WithStreamWindows(graph, system, EffectiveLimit(system, options));
  if (!with_windows.has_value()) {
    return policy_->MakePlan(graph, system, options);
  }
  absl::StatusOr<Plan> plan = policy_->MakePlan(*with_windows, system, options);
  if (!plan.ok()) return plan.status();
  return TakeStreamWindows(graph, *with_windows, *std::move(plan));
}

Plan TakeStreamWindows(const Graph& graph, const Graph& with_windows,
                       Plan plan) {
  const auto is_window = [&](const Allocation& allocation) {
    return allocation.tensor >= graph.tensor_count();
  };
  for (const Allocation& allocation : plan.allocations) {
    if (!is_window(allocation)) continue;
    const Tensor& window = with_windows.tensors[allocation.tensor];
    const auto stream = absl::c_lower_bound(
        plan.streams, window.birth_kernel,
        [](const Stream& s, KernelIndex k) { return s.kernel < k; });
    // A kernel for which all operands were fast after all needs none.
    if (stream == plan.streams.end() || stream->kernel != window.birth_kernel) {
      continue;
    }
    stream->window_offset_bytes = allocation.at.offset_bytes;
    stream->window_bytes = window.size_bytes;
  }
  std::erase_if(plan.allocations, is_window);
  plan.graph_id = GraphId(graph);
  return plan;
}

}  // namespace stowage::policies
