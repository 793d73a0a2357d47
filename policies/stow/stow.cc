#include "policies/stow/stow.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/staging.h"
#include "policies/stow/absence.h"
#include "policies/stow/absence_selector.h"
#include "policies/stow/cost_model.h"
#include "policies/stow/move_schedule.h"
#include "policies/stow/tier_choice.h"

namespace stowage {
namespace {

std::vector<int64_t> AllowedBytes(const Workload& workload, double share) {
  const auto budget_bytes =
      static_cast<int64_t>(share * static_cast<double>(workload.arena_bytes));
  std::vector<int64_t> allowed;
  for (const int64_t need : workload.need_bytes) {
    allowed.push_back(std::max(need, budget_bytes));
  }
  allowed.push_back(budget_bytes);
  return allowed;
}

struct Candidate {
  std::vector<PlacedAbsence> placed;
  MoveSchedule schedule;
};

Candidate Evaluate(const CostModel& costs, const AbsenceChoices& choices,
                   const std::vector<int>& chosen,
                   const std::vector<int64_t>& allowed) {
  Candidate candidate;
  candidate.placed = ChooseTiers(costs, choices, chosen);
  candidate.schedule = ScheduleMoves(costs, candidate.placed, allowed);
  return candidate;
}

Candidate Search(const CostModel& costs, const AbsenceChoices& choices,
                 const std::vector<int64_t>& allowed) {
  std::vector<double> prices = {1};
  if (costs.in_place_tier() != kFastTier) {
    prices = {1, 0.7, 0.5, 0.35, 0.2, 0.1, 0.03};
  }
  std::optional<Candidate> best;
  for (const double price : prices) {
    std::vector<int64_t> reserve(allowed.size());
    for (int round = 0; round < 8; ++round) {
      std::vector<int64_t> fewer = allowed;
      for (size_t b = 0; b < allowed.size(); ++b) {
        const int64_t need = b < costs.workload().need_bytes.size()
                                 ? costs.workload().need_bytes[b]
                                 : 0;
        fewer[b] = std::max(need, allowed[b] - reserve[b]);
      }
      AbsenceSelector selector(costs.graph(), choices, fewer);
      Candidate candidate =
          Evaluate(costs, choices, selector.Select({price, price}), allowed);
      for (size_t b = 0; b < allowed.size(); ++b) {
        reserve[b] += candidate.schedule.late_bytes[b];
      }
      if (!best.has_value() ||
          candidate.schedule.step_ns < best->schedule.step_ns) {
        best = std::move(candidate);
      }
    }
  }
  return *std::move(best);
}

BuildInput MakeInput(const CostModel& costs, const Candidate& candidate) {
  const Workload& workload = costs.workload();
  BuildInput input{
      .segments = SegmentsWithout(costs.graph(), candidate.schedule.taken),
      .streams = workload.streams,
      .stream_window_bytes = workload.stream_window_bytes,
      .fast_limit_bytes = workload.fast_limit_bytes};
  input.first_slow_tier.assign(costs.graph().tensors.size(), 1);
  for (const PlacedAbsence& placed : candidate.placed) {
    input.first_slow_tier[placed.absence.gap.tensor] = placed.tier;
  }
  return input;
}

// Shares of the arena that are planned for; addresses leave gaps.
constexpr double kShares[] = {1.0,  0.985, 0.97, 0.95, 0.93,
                              0.90, 0.86,  0.8,  0.7,  0.5};

absl::StatusOr<Plan> Build(const CostModel& costs,
                           const AbsenceChoices& choices) {
  for (const double share : kShares) {
    const Candidate candidate =
        Search(costs, choices, AllowedBytes(costs.workload(), share));
    absl::StatusOr<Plan> plan =
        BuildPlan(costs.graph(), costs.system(), MakeInput(costs, candidate));
    if (!absl::IsResourceExhausted(plan.status())) return plan;
  }
  const Workload& workload = costs.workload();
  return BuildPlan(costs.graph(), costs.system(),
                   {StagedSegments(costs.graph(), workload), workload.streams,
                    workload.stream_window_bytes, workload.fast_limit_bytes});
}

}  // namespace

std::string_view StowPolicy::name() const { return "stow"; }

std::string_view StowPolicy::description() const {
  return "take the cheapest absences from the fast tier, schedule their copies "
         "by simulation, improve where kernels wait";
}

absl::StatusOr<Plan> StowPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  std::optional<Plan> fits = PlanWithoutMoves(graph, system, options, name());
  if (fits.has_value()) return *std::move(fits);
  absl::StatusOr<Workload> workload =
      MakeWorkload(graph, system, EffectiveLimit(system, options));
  if (!workload.ok()) return workload.status();
  const CostModel costs(graph, system, *workload);
  absl::StatusOr<Plan> plan =
      Build(costs, FindAbsences(graph, *workload, costs));
  if (!plan.ok()) return plan.status();
  return FinishPlan(graph, system, name(), *std::move(plan));
}

}  // namespace stowage
