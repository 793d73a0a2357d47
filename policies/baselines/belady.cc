#include "policies/baselines/belady.h"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "policies/planning/plan_policy.h"
#include "policies/swap/eviction_planner.h"
#include "policies/swap/step_facts.h"
#include "policies/swap/swap_system.h"

namespace stowage::policies {
namespace {

// Says how a plan is tried, the most comfortable way first. Copies get a margin
// over what the system says they take. If a lane is asked for more than it can
// copy in a step, kernels have to wait and the step is longer; so the plan is
// made for a step stretched until the copies fit into it.
struct Attempt {
  double copy_margin = 1;
  double stretch = 1;
};
constexpr Attempt kAttempts[] = {{2, 1},      {1.5, 1},  {1.25, 1}, {1.25, 1.2},
                                 {1.25, 1.5}, {1.25, 2}, {1.25, 3}, {1.25, 6}};

// The share of a step that kernels may wait before a longer step is tried.
constexpr double kAcceptedWait = 0.03;

std::vector<int64_t> Stretch(const std::vector<int64_t>& boundary_ns,
                             double factor) {
  std::vector<int64_t> stretched;
  stretched.reserve(boundary_ns.size());
  for (int64_t ns : boundary_ns) {
    stretched.push_back(static_cast<int64_t>(factor * ns));
  }
  return stretched;
}

// Decides for one budget. Smaller budgets do not make copies more comfortable:
// `first_attempt` is where to begin, and is set to where this budget ended.
PlacementDecision DecideBelady(const Graph& graph, const MemorySystem& system,
                               const std::vector<int64_t>& boundary_ns,
                               const Workload& workload, int64_t budget_bytes,
                               size_t& first_attempt) {
  for (; first_attempt < std::size(kAttempts); ++first_attempt) {
    if (workload.cancellation.IsCancelled()) break;
    const Attempt& attempt = kAttempts[first_attempt];
    const std::vector<int64_t> stretched_ns =
        Stretch(boundary_ns, attempt.stretch);
    EvictionPlanner planner(graph, system, workload, stretched_ns,
                            attempt.copy_margin, budget_bytes);
    const auto accepted_ns =
        static_cast<int64_t>(kAcceptedWait * stretched_ns.back());
    if (planner.Plan(accepted_ns)) return planner.Residencies();
  }
  if (first_attempt == std::size(kAttempts)) {
    EvictionPlanner planner(graph, system, workload, boundary_ns,
                            /*copy_margin=*/1, budget_bytes);
    if (planner.Plan(std::numeric_limits<int64_t>::max())) {
      return planner.Residencies();
    }
    ++first_attempt;
  }
  if (workload.cancellation.IsCancelled()) return std::vector<Residency>();
  // The lanes are too full for foresight: fetch at use, evict the farthest next
  // use.
  return RunSwapSystem(StepFacts(graph, system, workload),
                       {.victims = VictimOrder::kFarthestNextUse}, budget_bytes)
      .decision;
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
  size_t first_attempt = 0;
  return PlanByDeciding(graph, system, options, name(),
                        [&](const Workload& workload, int64_t budget_bytes) {
                          return DecideBelady(graph, system, boundary_ns,
                                              workload, budget_bytes,
                                              first_attempt);
                        });
}

}  // namespace stowage::policies
