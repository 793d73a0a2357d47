#include "policies/baselines/belady.h"

#include <cstdint>
#include <limits>
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

// A lane may be asked for more than it can copy in a step. Then kernels have to
// wait, and the step is longer: the plan is made for a step stretched until the
// copies fit into it.
constexpr double kStretches[] = {1, 1.15, 1.4, 1.8, 2.5, 4, 8};

// Share of a step that kernels may wait before a longer step is tried.
constexpr double kAcceptedWait = 0.03;

std::vector<int64_t> Stretch(const std::vector<int64_t>& boundary_ns,
                             double factor) {
  std::vector<int64_t> stretched;
  for (int64_t ns : boundary_ns) {
    stretched.push_back(static_cast<int64_t>(factor * ns));
  }
  return stretched;
}

std::vector<FastSegment> DecideBelady(const Graph& graph,
                                      const MemorySystem& system,
                                      const std::vector<int64_t>& boundary_ns,
                                      const Workload& workload,
                                      int64_t budget_bytes) {
  for (double stretch : kStretches) {
    const std::vector<int64_t> stretched_ns = Stretch(boundary_ns, stretch);
    EvictionPlanner planner(graph, system, workload, stretched_ns,
                            budget_bytes);
    const auto accepted_ns =
        static_cast<int64_t>(kAcceptedWait * stretched_ns.back());
    if (planner.Plan(accepted_ns)) return planner.Segments();
  }
  EvictionPlanner planner(graph, system, workload, boundary_ns, budget_bytes);
  planner.Plan(std::numeric_limits<int64_t>::max());
  return planner.Segments();
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
                          return DecideBelady(graph, system, boundary_ns,
                                              workload, budget_bytes);
                        });
}

}  // namespace stowage
