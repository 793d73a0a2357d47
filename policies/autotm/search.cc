#include "policies/autotm/search.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "policies/autotm/formulation.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/staging.h"

namespace stowage {
namespace {

// The paper needed at most five further rounds (table 3).
constexpr int kMaxRounds = 6;
constexpr double kLimitFactor = 0.98;
// Rounds in which tensors without an address are made slow.
constexpr int kMaxDemotions = 50;

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
        deadline_(absl::Now() + settings.time_limit),
        problem_(MakeFlowProblem(graph, system, workload, rules)),
        paths_(SlowestPaths(problem_.flows)) {}

  SearchOutcome Run() {
    for (int round = 0; round < kMaxRounds; ++round) {
      SolveOnce(round);
      if (TryPlan()) return std::move(outcome_);
      ShrinkLimits();
    }
    outcome_.demoted = true;
    for (int i = 0; i < kMaxDemotions; ++i) {
      if (!Demote() || TryPlan()) break;
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
                         .seed = settings_.seed};
    options.warm_start = WarmStart(formulation, options);
    options.time_limit = TimeFor(round);
    const Solution solution = solver_.Solve(formulation.program(), options);
    if (solution.has_values()) {
      paths_ = formulation.PathsOf(solution.values);
    } else {
      paths_ = SlowestPaths(problem_.flows);
    }
    if (round == 0) outcome_.bound_ns = solution.bound * 1e3;
    if (solution.status != SolveStatus::kSolved) outcome_.reached_limit = true;
    ++outcome_.rounds;
  }

  // Half of what is left, so that there is time for another round; all of it in
  // the first, which most often is the last.
  absl::Duration TimeFor(int round) const {
    const absl::Duration left =
        std::max(absl::ZeroDuration(), deadline_ - absl::Now());
    return round == 0 ? 0.7 * left : 0.5 * left;
  }

  // What the relaxation has fast for certain.
  std::vector<double> WarmStart(const Formulation& formulation,
                                SolveOptions options) const {
    options.relax = true;
    const Solution relaxed = solver_.Solve(formulation.program(), options);
    return formulation.ValuesOf(relaxed.has_values()
                                    ? formulation.PathsOf(relaxed.values)
                                    : SlowestPaths(problem_.flows));
  }

  BuildInput Input() const {
    return {.segments = SegmentsOf(graph_, problem_, paths_),
            .streams = workload_.streams,
            .stream_window_bytes = workload_.stream_window_bytes,
            .fast_limit_bytes = workload_.fast_limit_bytes};
  }

  // Whether there is a plan, or will never be one.
  bool TryPlan() {
    outcome_.plan = BuildPlan(graph_, system_, Input());
    outcome_.objective_ns = ObjectiveNs(problem_, paths_);
    return !absl::IsResourceExhausted(outcome_.plan.status());
  }

  void ShrinkLimits() {
    std::vector<bool> offends(problem_.kernels.size(), false);
    for (const FastSegment& segment : FindUnplaced(graph_, Input())) {
      const KernelIndex end = std::min(segment.end, problem_.kernel_count());
      std::fill(offends.begin() + segment.begin, offends.begin() + end, true);
    }
    for (KernelIndex k = 0; k < problem_.kernel_count(); ++k) {
      if (!offends[k]) continue;
      problem_.kernels[k].limit_bytes =
          static_cast<int64_t>(kLimitFactor * problem_.kernels[k].limit_bytes);
    }
  }

  // Makes slow what finds no address. False where nothing could be made slow.
  bool Demote() {
    std::vector<std::vector<FastSegment>> unplaced(graph_.tensors.size());
    for (const FastSegment& segment : FindUnplaced(graph_, Input())) {
      unplaced[segment.tensor].push_back(segment);
    }
    bool changed = false;
    for (size_t f = 0; f < problem_.flows.size(); ++f) {
      for (const FastSegment& segment : unplaced[problem_.flows[f].tensor]) {
        changed |= DemoteIn(segment, problem_.flows[f], paths_[f]);
      }
    }
    return changed;
  }

  bool DemoteIn(const FastSegment& segment, const TensorFlow& flow,
                TensorPath& path) const {
    const bool whole = problem_.rules.movement == Movement::kStatic;
    bool changed = false;
    for (int i = 0; i < flow.use_count(); ++i) {
      const KernelIndex k = problem_.Roll(flow.uses[i].kernel);
      const bool touched = whole || (segment.begin <= k && k < segment.end);
      if (touched && path.fast[i] && flow.uses[i].place != UsePlace::kFast) {
        path.fast[i] = false;
        changed = true;
      }
    }
    for (int i = 0; i < flow.use_count(); ++i) {
      const KernelIndex k = problem_.Roll(flow.uses[i].kernel);
      const bool touched = whole || (segment.begin <= k && k < segment.end);
      const bool cut =
          !path.fast[i] || (flow.has_next(i) && !path.fast[flow.next(i)]);
      if (!flow.has_rest(i) || !(touched || cut)) continue;
      changed |= path.rests[i].fast;
      path.rests[i] = SynchronousRest(flow, i);
    }
    return changed;
  }

  // What always fits: everything is fast only for the kernel that needs it.
  void Stage() {
    BuildInput input = Input();
    input.segments = StagedSegments(graph_, workload_);
    paths_ = SlowestPaths(problem_.flows);
    outcome_.objective_ns = ObjectiveNs(problem_, paths_);
    outcome_.plan = BuildPlan(graph_, system_, input);
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const Solver& solver_;
  const SearchSettings& settings_;
  const absl::Time deadline_;
  FlowProblem problem_;
  Paths paths_;
  SearchOutcome outcome_{.plan = absl::UnknownError("not searched")};
};

}  // namespace

SearchOutcome Search(const Graph& graph, const MemorySystem& system,
                     const Workload& workload, const FlowRules& rules,
                     const Solver& solver, const SearchSettings& settings) {
  return Searcher(graph, system, workload, rules, solver, settings).Run();
}

}  // namespace stowage
