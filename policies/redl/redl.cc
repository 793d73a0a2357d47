#include "policies/redl/redl.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/time.h"
#include "policies/intervals/interval_demand.h"
#include "policies/intervals/interval_planner.h"
#include "policies/intervals/trial.h"
#include "policies/model/kernel_cost.h"
#include "policies/planning/plan_policy.h"
#include "policies/redl/locality.h"
#include "policies/redl/period_search.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// The most tested periods whose step the simulator measures.
constexpr int kMaxMeasuredPeriods = 32;

struct RedlDecision {
  IntervalChoice choice;
  TrialResult result;
  PeriodSearch search;
  bool out_of_time = false;
};

// Returns which tensors are born slow. Long-lived ones are (III-D), except
// outputs of kernels that the profile says are slower with their outputs in
// slow memory (III-B, figure 4(b)).
std::vector<bool> FindBornSlow(const Graph& graph, const MemorySystem& system) {
  std::vector<bool> born_slow(graph.tensors.size());
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.persistent) continue;
    const KernelProfile profile =
        CompleteProfile(graph, graph.kernels[tensor.birth_kernel], system);
    born_slow[t] = profile.fast_inputs_slow_outputs.duration_ns <=
                   profile.fast_inputs_fast_outputs.duration_ns;
  }
  return born_slow;
}

IntervalRules RedlRules(const Graph& graph, const MemorySystem& system,
                        bool stage_all, const Layers& layers) {
  IntervalRules rules;
  rules.stage_all = stage_all;
  rules.born_slow = FindBornSlow(graph, system);
  rules.evict_idle = false;
  rules.nearest_first = true;
  rules.leave_late.assign(layers.count(), true);
  return rules;
}

// Searches the period, measures the tested ones, and keeps the best.
RedlDecision DecideRedl(const Graph& graph, const MemorySystem& system,
                        const Workload& workload, const Layers& layers,
                        bool stage_all, const std::vector<int64_t>& kernel_ns,
                        absl::Time deadline) {
  RedlDecision decision;
  decision.search = FindPeriods(graph, system, layers, kernel_ns,
                                workload.arena_bytes, workload.cancellation);
  const IntervalRules rules = RedlRules(graph, system, stage_all, layers);
  for (LayerIndex period :
       PeriodsToMeasure(decision.search, kMaxMeasuredPeriods)) {
    const bool first = decision.result.kernel_ns.empty();
    if (workload.cancellation.IsCancelled()) break;
    if (!first && SteadyNow() >= deadline) {
      decision.out_of_time = true;
      break;
    }
    IntervalChoice choice{.length = period, .rules = rules};
    TrialResult result =
        TryIntervals(graph, system, workload, layers, choice, kernel_ns);
    if (result.step_time_ns >= decision.result.step_time_ns) continue;
    decision.choice = std::move(choice);
    decision.result = std::move(result);
  }
  return decision;
}

void AddNotes(const Graph& graph, const Layers& layers,
              const RedlDecision& decision, bool stage_all, Plan& plan) {
  plan.notes.push_back(
      absl::StrCat("Migration periods have ", decision.choice.length, " of ",
                   layers.count(), " layers, found in ", decision.search.rounds,
                   " rounds of the iterated greedy search."));
  if (!decision.search.found) {
    plan.notes.push_back(
        "No period satisfies the constraints of space and time; this is the "
        "fastest of those measured.");
  }
  if (stage_all) {
    plan.notes.push_back(
        "Operands are staged for the kernel: slow memory cannot be accessed "
        "directly.");
  }
  plan.notes.push_back(absl::StrFormat(
      "Data locality: %.1f %% of the tensors that kernels ask for are in fast "
      "memory.",
      100 * ComputeDataLocality(graph, plan).overall));
  if (decision.out_of_time) {
    plan.notes.push_back("The time limit cut the measuring of periods short.");
  }
}

}  // namespace

std::string_view RedlPolicy::name() const { return "redl"; }

std::string_view RedlPolicy::description() const {
  return "short-lived tensors fast, long-lived ones fetched a migration "
         "period ahead or used in slow memory (ReDL)";
}

absl::StatusOr<Plan> RedlPolicy::MakePlan(const Graph& graph,
                                          const MemorySystem& system,
                                          const PlanOptions& options) const {
  const absl::Time deadline = options.time_limit > absl::ZeroDuration()
                                  ? SteadyNow() + options.time_limit
                                  : absl::InfiniteFuture();
  const bool stage_all = !HasAddressableSlowTier(system);
  const Layers layers = FindLayers(graph);
  const std::vector<int64_t> kernel_ns = AllFastKernelNs(graph, system);
  std::optional<RedlDecision> decision;
  absl::StatusOr<Plan> plan = PlanByDeciding(
      graph, system, options, name(),
      [&](const Workload& workload, int64_t budget_bytes) {
        if (!decision.has_value()) {
          decision = DecideRedl(graph, system, workload, layers, stage_all,
                                kernel_ns, deadline);
        }
        return IntervalPlanner(graph, system, workload, layers,
                               decision->choice.length, decision->choice.rules,
                               kernel_ns, budget_bytes)
            .Plan()
            .residencies;
      });
  if (plan.ok() && decision.has_value()) {
    AddNotes(graph, layers, *decision, stage_all, *plan);
  }
  return plan;
}

}  // namespace stowage::policies
