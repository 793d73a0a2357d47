#include "policies/sentinel/sentinel.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "policies/intervals/interval_planner.h"
#include "policies/model/byte_size.h"
#include "policies/planning/plan_policy.h"
#include "policies/sentinel/coallocation.h"
#include "policies/sentinel/sentinel_lower_bound.h"
#include "policies/sentinel/sentinel_search.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

void AddNotes(const Graph& graph, const Layers& layers,
              const SentinelDecision& decision, bool stage_all, Plan& plan) {
  plan.notes.push_back(absl::StrCat("Migration intervals have ",
                                    decision.choice.length, " of ",
                                    layers.count(), " layers."));
  if (!decision.satisfies_space) {
    plan.notes.push_back(
        "No interval length satisfies equation 1: the tensors of a single "
        "layer do not fit beside its short-lived ones.");
  }
  if (stage_all && !decision.result.late.empty()) {
    plan.notes.push_back(absl::StrCat(decision.result.late.size(),
                                      " intervals wait for their fetches "
                                      "(Case 3)."));
  }
  if (decision.trial_steps > 0) {
    plan.notes.push_back(absl::StrCat("Test-and-trial took ",
                                      decision.trial_steps,
                                      " simulated steps (Case 3)."));
  }
  const int64_t bound_bytes = SentinelLowerBoundBytes(graph, layers);
  if (plan.fast_limit_bytes < bound_bytes) {
    plan.notes.push_back(absl::StrCat(
        "The limit is below Sentinel's lower bound on fast memory, ",
        DescribeBytes(bound_bytes), "; ", decision.result.homeless,
        " short-lived tensors have no room of their own."));
  }
  if (decision.out_of_time) {
    plan.notes.push_back(
        "The time limit cut the search for the interval length short.");
  }
}

absl::StatusOr<Plan> PlanWithSentinel(const Graph& graph,
                                      const MemorySystem& system,
                                      const PlanOptions& options,
                                      std::string_view policy, bool stage_all,
                                      LayerIndex interval_layers) {
  const absl::Time deadline = options.time_limit > absl::ZeroDuration()
                                  ? SteadyNow() + options.time_limit
                                  : absl::InfiniteFuture();
  const Layers layers = FindLayers(graph);
  std::optional<SentinelDecision> decision;
  absl::StatusOr<Plan> plan = PlanByDeciding(
      graph, system, options, policy,
      [&](const Workload& workload, int64_t budget_bytes) {
        if (!decision.has_value()) {
          decision = DecideSentinel(graph, system, workload, layers, stage_all,
                                    interval_layers, deadline);
        }
        std::vector<Residency> residencies =
            IntervalPlanner(graph, system, workload, layers,
                            decision->choice.length, decision->choice.rules,
                            decision->kernel_ns, budget_bytes)
                .Plan()
                .residencies;
        CoAllocate(graph, layers, residencies);
        return residencies;
      });
  if (absl::IsFailedPrecondition(plan.status())) {
    return absl::FailedPreconditionError(absl::StrCat(
        plan.status().message(), "; Sentinel's lower bound on fast memory is ",
        DescribeBytes(SentinelLowerBoundBytes(graph, layers))));
  }
  if (plan.ok() && decision.has_value()) {
    AddNotes(graph, layers, *decision, stage_all, *plan);
  }
  return plan;
}

}  // namespace

std::string_view SentinelPolicy::name() const { return "sentinel"; }

std::string_view SentinelPolicy::description() const {
  return "short-lived tensors in reserved fast memory, long-lived ones "
         "migrated in intervals of layers (Sentinel, HPCA 2021)";
}

absl::StatusOr<Plan> SentinelPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanWithSentinel(graph, system, options, name(),
                          !HasAddressableSlowTier(system), interval_layers_);
}

std::string_view SentinelGpuPolicy::name() const { return "sentinel-gpu"; }

std::string_view SentinelGpuPolicy::description() const {
  return "Sentinel where kernels cannot use slow memory: late fetches are "
         "waited for (Sentinel-GPU, HPCA 2021)";
}

absl::StatusOr<Plan> SentinelGpuPolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  return PlanWithSentinel(graph, system, options, name(), /*stage_all=*/true,
                          interval_layers_);
}

}  // namespace stowage::policies
