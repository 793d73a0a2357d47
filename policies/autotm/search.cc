#include "policies/autotm/search.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "policies/autotm/formulation.h"
#include "policies/autotm/warm_start.h"
#include "policies/model/graph_proto.h"
#include "policies/model/implementations.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/staging.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// The paper needed at most five further rounds (table 3).
constexpr int kMaxRounds = 6;
constexpr double kLimitFactor = 0.98;
// The most rounds in which tensors without an address are made slow.
constexpr int kMaxDemotions = 50;

// Returns the least duration; a slow corner of a profile may be faster than the
// fast one.
double LeastDurationNs(const KernelConfigurations& cost) {
  if (!cost.listed_ns.empty()) {
    return *std::min_element(cost.listed_ns.begin(), cost.listed_ns.end());
  }
  double ns = cost.fast_ns;
  for (double slow_ns : cost.slow_ns) ns += std::min(0.0, slow_ns);
  return ns;
}

// Returns a time that no paths can beat: every kernel in its best
// configuration, no copies.
double LeastNs(const FlowProblem& problem) {
  double ns = problem.constant_ns;
  for (const KernelProblem& kernel : problem.kernels) {
    double least_ns = kUnbounded;
    for (const Implementation& implementation : kernel.implementations) {
      least_ns = std::min(least_ns, LeastDurationNs(implementation.cost));
    }
    ns += least_ns;
  }
  return ns;
}

class Searcher {
 public:
  Searcher(const Graph& graph, const MemorySystem& system,
           const Workload& workload, const FlowRules& rules,
           const Solver& solver, const SearchSettings& settings)
      : graph_(graph),
        system_(system),
        workload_(workload),
        solver_(solver),
        settings_(settings),
        deadline_(SteadyNow() + settings.time_limit),
        workspaces_(ChoosableWorkspaces(graph)),
        problem_(MakeFlowProblem(graph, system, workload, rules)),
        paths_(SlowestPaths(problem_.flows)) {}

  SearchOutcome Run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      if (workload_.cancellation.IsCancelled()) break;
      if (round > 0 && TimeFor(round) <= absl::ZeroDuration()) break;
      SolveOnce(round);
      if (TryPlan(/*demoted=*/false)) return std::move(outcome_);
      const Paths solved = paths_;
      const FlowProblem problem = problem_;
      TryDemoting();
      paths_ = solved;
      problem_ = problem;
      ShrinkLimits();
    }
    if (absl::IsResourceExhausted(outcome_.plan.status())) Stage();
    return std::move(outcome_);
  }

 private:
  void SolveOnce(int round) {
    const Formulation formulation(problem_);
    SolveOptions options{.time_limit = TimeFor(round),
                         .node_limit = settings_.node_limit,
                         .gap = settings_.gap,
                         .seed = settings_.seed,
                         .cancellation = workload_.cancellation};
    options.warm_start = WarmStart(problem_, formulation, solver_, options);
    options.time_limit = TimeFor(round);
    const Solution solution = solver_.Solve(formulation.program(), options);
    if (solution.has_values()) {
      paths_ = formulation.PathsOf(solution.values);
    } else {
      paths_ = SlowestPaths(problem_.flows);
    }
    if (round == 0) {
      outcome_.bound_ns = std::max(LeastNs(problem_), solution.bound * 1e3);
    }
    if (solution.status != SolveStatus::kSolved) outcome_.reached_limit = true;
    ++outcome_.rounds;
  }

  // Returns a part of the time left, so that there is some for another round;
  // the larger part in the first, which most often is the last.
  absl::Duration TimeFor(int round) const {
    const absl::Duration left =
        std::max(absl::ZeroDuration(), deadline_ - SteadyNow());
    return round == 0 ? 0.6 * left : 0.5 * left;
  }

  BuildInput Input() const {
    return {.residencies = ResidenciesOf(graph_, problem_, paths_),
            .streams = workload_.streams,
            .fast_limit_bytes = workload_.fast_limit_bytes,
            .cancellation = workload_.cancellation};
  }

  // Builds the plan of the current paths and the best implementations for them.
  absl::StatusOr<Plan> Build(const BuildInput& input) const {
    const std::vector<ImplementationChoice> choices =
        ChoicesOf(problem_, paths_);
    const ChosenGraph chosen(graph_, choices);
    absl::StatusOr<Plan> plan = BuildPlan(chosen.get(), system_, input);
    if (plan.ok() && problem_.rules.write_back_once) {
      MakeDrops(chosen.get(), *plan);
    }
    if (plan.ok()) plan = WithChoices(graph_, choices, *std::move(plan));
    return plan;
  }

  std::vector<Residency> Unplaced() const {
    const ChosenGraph chosen(graph_, ChoicesOf(problem_, paths_));
    return FindUnplaced(chosen.get(), Input());
  }

  // Keeps the plan of the current paths if it is the best so far. Returns false
  // if they found no addresses, which another round may change.
  bool TryPlan(bool demoted) {
    absl::StatusOr<Plan> plan = Build(Input());
    if (absl::IsResourceExhausted(plan.status())) return false;
    const double objective_ns = ObjectiveNs(problem_, paths_);
    const bool better = plan.ok() && objective_ns < outcome_.objective_ns;
    if (outcome_.plan.ok() && !better) return true;
    outcome_.plan = std::move(plan);
    outcome_.objective_ns = objective_ns;
    outcome_.demoted = demoted;
    return true;
  }

  // Makes tensors without an address slow until the others have one.
  void TryDemoting() {
    for (int i = 0; i < kMaxDemotions; ++i) {
      if (workload_.cancellation.IsCancelled()) return;
      if (!Demote() || TryPlan(/*demoted=*/true)) return;
    }
  }

  void ShrinkLimits() {
    std::vector<bool> offends(problem_.kernels.size(), false);
    for (const Residency& residency : Unplaced()) {
      const KernelIndex end = std::min(residency.end, problem_.kernel_count());
      std::fill(offends.begin() + residency.begin, offends.begin() + end, true);
    }
    for (KernelIndex k = 0; k < problem_.kernel_count(); ++k) {
      if (!offends[k]) continue;
      problem_.kernels[k].limit_bytes =
          static_cast<int64_t>(kLimitFactor * problem_.kernels[k].limit_bytes);
    }
  }

  // Makes tensors slow that find no address. Returns false if none could be.
  bool Demote() {
    std::vector<std::vector<Residency>> unplaced(graph_.tensors.size());
    for (const Residency& residency : Unplaced()) {
      unplaced[residency.tensor].push_back(residency);
    }
    bool changed = false;
    for (KernelIndex k = 0; k < problem_.kernel_count(); ++k) {
      const TensorIndex workspace = workspaces_[k];
      if (workspace < 0 || unplaced[workspace].empty()) continue;
      changed |= TakeSmallestWorkspace(problem_.kernels[k]);
    }
    for (size_t f = 0; f < problem_.flows.size(); ++f) {
      for (const Residency& residency : unplaced[problem_.flows[f].tensor]) {
        changed |= DemoteIn(residency, problem_.flows[f], paths_[f]);
      }
    }
    return changed;
  }

  // Leaves the kernel no room, which rules out all implementations but the
  // smallest.
  static bool TakeSmallestWorkspace(KernelProblem& kernel) {
    const bool changed = kernel.limit_bytes > 0;
    kernel.limit_bytes = 0;
    return changed;
  }

  bool DemoteIn(const Residency& residency, const TensorFlow& flow,
                TensorPath& path) const {
    const bool whole = problem_.rules.movement == Movement::kStatic;
    bool changed = false;
    for (int i = 0; i < flow.use_count(); ++i) {
      const KernelIndex k = problem_.Roll(flow.uses[i].kernel);
      const bool touched = whole || (residency.begin <= k && k < residency.end);
      if (touched && path.fast[i] && flow.uses[i].place != UsePlace::kFast) {
        path.fast[i] = false;
        changed = true;
      }
    }
    for (int i = 0; i < flow.use_count(); ++i) {
      const KernelIndex k = problem_.Roll(flow.uses[i].kernel);
      const bool touched = whole || (residency.begin <= k && k < residency.end);
      const bool cut =
          !path.fast[i] || (flow.has_next(i) && !path.fast[flow.next(i)]);
      if (!flow.has_rest(i) || !(touched || cut)) continue;
      changed |= path.rests[i].fast;
      path.rests[i] = SynchronousRest(flow, i);
    }
    return changed;
  }

  // Builds the plan that always fits: everything is fast only for the kernel
  // that needs it.
  void Stage() {
    BuildInput input = Input();
    input.residencies = StagedResidencies(graph_, workload_);
    paths_ = SlowestPaths(problem_.flows);
    for (KernelProblem& kernel : problem_.kernels) {
      TakeSmallestWorkspace(kernel);
    }
    outcome_.objective_ns = ObjectiveNs(problem_, paths_);
    outcome_.plan = Build(input);
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const Solver& solver_;
  const SearchSettings& settings_;
  const absl::Time deadline_;
  const std::vector<TensorIndex> workspaces_;  // by kernel
  FlowProblem problem_;
  Paths paths_;
  SearchOutcome outcome_{.plan = absl::ResourceExhaustedError("not solved")};
};

}  // namespace

Plan WithChoices(const Graph& graph, std::vector<ImplementationChoice> choices,
                 Plan plan) {
  if (choices.empty()) return plan;
  plan.graph_id = GraphId(graph);
  plan.implementations = std::move(choices);
  return plan;
}

SearchOutcome Search(const Graph& graph, const MemorySystem& system,
                     const Workload& workload, const FlowRules& rules,
                     const Solver& solver, const SearchSettings& settings) {
  return Searcher(graph, system, workload, rules, solver, settings).Run();
}

}  // namespace stowage::policies
