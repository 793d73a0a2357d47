#include "policies/planning/plan_policy.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/liveness.h"
#include "policies/plan/profile_note.h"
#include "policies/planning/staging.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {
namespace {

// The shares of the arena with which decisions are tried. Addresses that leave
// holes between tensors need some slack; below the last share there is no hope
// that less would help.
constexpr double kBudgetShares[] = {1.0,  0.985, 0.97, 0.95, 0.93,
                                    0.90, 0.86,  0.8,  0.7,  0.5};

bool MayFit(const Graph& graph, int64_t limit_bytes) {
  return ComputeLiveness(graph).peak_bytes <= limit_bytes;
}

BuildInput MakeInput(const Workload& workload, PlacementDecision decision) {
  return {std::move(decision.residencies),
          workload.streams,
          workload.fast_limit_bytes,
          std::move(decision.first_slow_tier),
          kRepairWork,
          workload.cancellation};
}

absl::StatusOr<Plan> BuildWithRetries(const Graph& graph,
                                      const MemorySystem& system,
                                      const Workload& workload, Decide decide) {
  for (double share : kBudgetShares) {
    const auto budget_bytes =
        static_cast<int64_t>(share * static_cast<double>(workload.arena_bytes));
    PlacementDecision decision = decide(workload, budget_bytes);
    const absl::Status wanted = workload.cancellation.Check();
    if (!wanted.ok()) return wanted;
    absl::StatusOr<Plan> plan =
        BuildPlan(graph, system, MakeInput(workload, std::move(decision)));
    if (!absl::IsResourceExhausted(plan.status())) return plan;
  }
  absl::StatusOr<Plan> plan = BuildPlan(
      graph, system, MakeInput(workload, StagedResidencies(graph, workload)));
  if (plan.ok()) {
    plan->notes.push_back(
        "No address layout of the policy's decisions fits the limit, so each "
        "kernel's tensors are staged for it alone.");
  }
  return plan;
}

}  // namespace

int64_t EffectiveLimit(const MemorySystem& system, const PlanOptions& options) {
  const int64_t capacity = system.tiers[kFastTier].capacity_bytes;
  return capacity == 0 ? options.fast_limit_bytes
                       : std::min(capacity, options.fast_limit_bytes);
}

std::optional<Plan> PlanWithoutMoves(const Graph& graph,
                                     const MemorySystem& system,
                                     const PlanOptions& options,
                                     std::string_view policy) {
  const int64_t limit_bytes = EffectiveLimit(system, options);
  if (!MayFit(graph, limit_bytes)) return std::nullopt;
  BuildInput input{.residencies = AllFastResidencies(graph),
                   .fast_limit_bytes = limit_bytes,
                   .cancellation = options.cancellation};
  absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
  if (!plan.ok()) return std::nullopt;
  plan =
      FinishPlan(graph, system, policy, *std::move(plan), options.cancellation);
  if (!plan.ok()) return std::nullopt;
  return *std::move(plan);
}

absl::StatusOr<Plan> PlanByDeciding(const Graph& graph,
                                    const MemorySystem& system,
                                    const PlanOptions& options,
                                    std::string_view policy, Decide decide) {
  std::optional<Plan> fits = PlanWithoutMoves(graph, system, options, policy);
  if (fits.has_value()) return *std::move(fits);
  absl::StatusOr<Workload> workload = MakeWorkload(
      graph, system, EffectiveLimit(system, options), options.cancellation);
  if (!workload.ok()) return workload.status();
  absl::StatusOr<Plan> plan =
      BuildWithRetries(graph, system, *workload, decide);
  if (!plan.ok()) return plan.status();
  return FinishPlan(graph, system, policy, *std::move(plan),
                    options.cancellation);
}

absl::StatusOr<Plan> FinishPlan(const Graph& graph, const MemorySystem& system,
                                std::string_view policy, Plan plan,
                                const Cancellation& cancellation) {
  plan.policy = std::string(policy);
  absl::StatusOr<Simulation> simulation =
      Simulate(graph, system, plan, cancellation);
  if (!simulation.ok()) return simulation.status();
  plan.prediction = simulation->prediction;
  if (plan.prediction.locality < 1) NoteDerivedTimes(graph, system, plan);
  return plan;
}

void NoteDerivedTimes(const Graph& graph, const MemorySystem& system,
                      Plan& plan) {
  const auto note = DerivedProfileNote(graph, system);
  if (note.has_value() && !absl::c_linear_search(plan.notes, *note)) {
    plan.notes.push_back(*note);
  }
}

}  // namespace stowage::policies
