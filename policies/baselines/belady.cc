#include "policies/baselines/belady.h"

#include <vector>

#include "policies/baselines/eviction_planner.h"
#include "policies/baselines/plan_policy.h"
#include "policies/model/kernel_cost.h"

namespace stowage {
namespace {

// When each boundary is reached if nothing is ever waited for.
std::vector<int64_t> IdealBoundaryNs(const Graph& graph,
                                     const MemorySystem& system) {
  std::vector<int64_t> boundary_ns = {0};
  for (const Kernel& kernel : graph.kernels) {
    const int64_t duration_ns =
        KernelDurationNs(graph, kernel, CompleteProfile(graph, kernel, system),
                         system, [](TensorIndex) { return kFastTier; });
    boundary_ns.push_back(boundary_ns.back() + kernel.gap_ns + duration_ns);
  }
  return boundary_ns;
}

}  // namespace

std::string_view BeladyPolicy::name() const { return "belady"; }

std::string_view BeladyPolicy::description() const {
  return "evict the tensor whose next use is farthest, fetch ahead of use "
         "(Belady 1966, with copies hidden behind kernels)";
}

absl::StatusOr<Plan> BeladyPolicy::MakePlan(const Graph& graph,
                                            const MemorySystem& system,
                                            const PlanOptions& options) const {
  const std::vector<int64_t> boundary_ns = IdealBoundaryNs(graph, system);
  return PlanByDeciding(graph, system, options, name(),
                        [&](const Workload& workload, int64_t budget_bytes) {
                          return EvictionPlanner(graph, system, workload,
                                                 boundary_ns, budget_bytes)
                              .Plan();
                        });
}

}  // namespace stowage
