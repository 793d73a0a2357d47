#include "policies/autotm/autotm.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "policies/autotm/search.h"
#include "policies/model/implementations.h"
#include "policies/planning/plan_policy.h"
#include "policies/solver/cbc.h"

namespace stowage::policies {
namespace {

constexpr absl::Duration kDefaultTimeLimit = absl::Seconds(30);
// Graphs up to this size are solved exactly, larger ones to the relative gap of
// the paper's table 3. With overlap so many plans take the same time that the
// program is always solved to that gap, and with fewer nodes.
constexpr KernelIndex kExactKernels = 64;
constexpr double kPaperGap = 0.01;
constexpr int kExactNodeLimit = 20'000;
constexpr int kNodeLimit = 2000;
constexpr int kOverlapNodeLimit = 50;

SearchSettings SettingsFor(const Graph& graph, Movement movement,
                           const PlanOptions& options) {
  const bool overlap = movement == Movement::kAsynchronous;
  const bool exact = !overlap && graph.kernel_count() <= kExactKernels;
  SearchSettings settings;
  settings.time_limit = options.time_limit > absl::ZeroDuration()
                            ? options.time_limit
                            : kDefaultTimeLimit;
  settings.node_limit = exact     ? kExactNodeLimit
                        : overlap ? kOverlapNodeLimit
                                  : kNodeLimit;
  settings.gap = exact ? 0 : kPaperGap;
  settings.seed = static_cast<int32_t>(options.seed & 0x7fffffff);
  return settings;
}

std::string Proven(double gap) {
  if (gap < 0) return "nothing is proven of its step time";
  if (gap == 0) return "its step time is the best that the program allows";
  return absl::StrFormat(
      "its step time is at most %.2f%% above the best that the program allows",
      100 * gap);
}

std::string SolverNote(const Solver& solver, const SearchOutcome& outcome,
                       absl::Duration time_limit, double gap) {
  return outcome.reached_limit
             ? absl::StrCat("The search by ", solver.name(),
                            " stopped at its limit of nodes or of ",
                            absl::FormatDuration(time_limit),
                            " and returned the best plan it had; ", Proven(gap),
                            ".")
             : absl::StrCat("The program was solved by ", solver.name(), "; ",
                            Proven(gap), ".");
}

void AddNotes(const Solver& solver, const SearchOutcome& outcome,
              absl::Duration time_limit, Plan& plan) {
  plan.notes.push_back(
      SolverNote(solver, outcome, time_limit, plan.solver_gap));
  if (outcome.rounds > 1) {
    plan.notes.push_back(
        absl::StrCat("Fragmentation took ", outcome.rounds - 1, " further ",
                     outcome.rounds == 2 ? "round" : "rounds",
                     ", each with 2% less fast memory at the kernels whose "
                     "tensors found no address."));
  }
  if (outcome.demoted) {
    plan.notes.push_back(
        "Tensors that found no address in the fast tier were made slow.");
  }
  if (!plan.implementations.empty()) {
    plan.notes.push_back(absl::StrCat(
        plan.implementations.size(),
        " kernels run another implementation than their first, which no "
        "running job can be told to do."));
  }
}

// Returns the gap; one below the solver's tolerance counts as none.
double GapOf(const SearchOutcome& outcome) {
  constexpr double kTolerance = 1e-6;
  if (outcome.bound_ns <= 0) return outcome.objective_ns > 0 ? -1 : 0;
  const double gap = outcome.objective_ns / outcome.bound_ns - 1;
  return gap < kTolerance ? 0 : gap;
}

}  // namespace

AutoTmPolicy::AutoTmPolicy(Movement movement,
                           std::shared_ptr<const Solver> solver)
    : movement_(movement), solver_(std::move(solver)) {
  if (solver_ == nullptr) solver_ = std::make_shared<CbcSolver>();
}

std::string_view AutoTmPolicy::name() const {
  switch (movement_) {
    case Movement::kStatic:
      return "autotm-static";
    case Movement::kSynchronous:
      return "autotm-sync";
    case Movement::kAsynchronous:
      return "autotm-async";
  }
  return "";
}

std::string_view AutoTmPolicy::description() const {
  switch (movement_) {
    case Movement::kStatic:
      return "AutoTM's integer program, tensors stay where they are born "
             "(ASPLOS 2020, figure 6a)";
    case Movement::kSynchronous:
      return "AutoTM's integer program with moves between kernels "
             "(ASPLOS 2020, figure 6b)";
    case Movement::kAsynchronous:
      return "AutoTM's integer program with moves beside one kernel each "
             "(ASPLOS 2020, section 7)";
  }
  return "";
}

absl::StatusOr<Plan> AutoTmPolicy::MakePlan(const Graph& graph,
                                            const MemorySystem& system,
                                            const PlanOptions& options) const {
  const std::vector<ImplementationChoice> fastest =
      FastestImplementations(graph);
  std::optional<Plan> fits = PlanWithoutMoves(ChosenGraph(graph, fastest).get(),
                                              system, options, name());
  if (fits.has_value()) return WithChoices(graph, fastest, *std::move(fits));
  if (movement_ == Movement::kStatic && !HasAddressableSlowTier(system)) {
    return absl::FailedPreconditionError(absl::StrCat(
        "autotm-static needs a slower tier that kernels can use in place, and "
        "'",
        system.name, "' has none; use autotm-sync or autotm-async"));
  }
  const ChosenGraph smallest(graph, SmallestImplementations(graph));
  const absl::StatusOr<Workload> workload =
      MakeWorkload(smallest.get(), system, EffectiveLimit(system, options),
                   options.cancellation);
  if (!workload.ok()) return workload.status();
  const SearchSettings settings = SettingsFor(graph, movement_, options);
  const FlowRules rules{.movement = movement_, .write_back_once = true};
  SearchOutcome outcome =
      Search(graph, system, *workload, rules, *solver_, settings);
  const absl::Status wanted = options.cancellation.Check();
  if (!wanted.ok()) return wanted;
  if (!outcome.plan.ok()) return outcome.plan.status();
  Plan plan = *std::move(outcome.plan);
  plan.solver_gap = GapOf(outcome);
  AddNotes(*solver_, outcome, settings.time_limit, plan);
  return FinishPlan(graph, system, name(), std::move(plan),
                    options.cancellation);
}

}  // namespace stowage::policies
