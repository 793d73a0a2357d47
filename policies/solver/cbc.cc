#include "policies/solver/cbc.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "CbcEventHandler.hpp"
#include "CbcHeuristic.hpp"
#include "CbcHeuristicDiveCoefficient.hpp"
#include "CbcModel.hpp"
#include "CglClique.hpp"
#include "CglKnapsackCover.hpp"
#include "CglMixedIntegerRounding2.hpp"
#include "ClpEventHandler.hpp"
#include "ClpSimplex.hpp"
#include "CoinError.hpp"
#include "CoinPackedMatrix.hpp"
#include "OsiClpSolverInterface.hpp"
#include "absl/time/time.h"
#include "timing/steady_now.h"

namespace stowage::policies {
namespace {

// Answers after each iteration of a linear program whether to go on. Copies of
// the program, as CBC makes them, ask too.
class ProgramEvents final : public ClpEventHandler {
 public:
  explicit ProgramEvents(const Cancellation& cancellation)
      : cancellation_(cancellation) {}

  int event(Event which) override {
    return which == endOfIteration && cancellation_.IsCancelled() ? 0 : -1;
  }
  ClpEventHandler* clone() const override { return new ProgramEvents(*this); }

 private:
  const Cancellation cancellation_;
};

// Answers whether to go on, at each node of the search among others.
class SearchEvents final : public CbcEventHandler {
 public:
  explicit SearchEvents(const Cancellation& cancellation)
      : cancellation_(cancellation) {}

  CbcAction event(CbcEvent /*which*/) override {
    return cancellation_.IsCancelled() ? stop : noAction;
  }
  CbcEventHandler* clone() const override { return new SearchEvents(*this); }

 private:
  const Cancellation cancellation_;
};

double ToCoin(double bound) {
  return std::isinf(bound) ? std::copysign(COIN_DBL_MAX, bound) : bound;
}

CoinPackedMatrix MakeMatrix(const LinearProgram& program) {
  std::vector<int> rows, columns;
  std::vector<double> coefficients;
  for (size_t r = 0; r < program.rows.size(); ++r) {
    for (const Term& term : program.rows[r].terms) {
      rows.push_back(static_cast<int>(r));
      columns.push_back(term.column);
      coefficients.push_back(term.coefficient);
    }
  }
  CoinPackedMatrix matrix(/*colordered=*/true, rows.data(), columns.data(),
                          coefficients.data(), coefficients.size());
  matrix.setDimensions(static_cast<int>(program.rows.size()),
                       static_cast<int>(program.columns.size()));
  return matrix;
}

void Load(const LinearProgram& program, bool relax,
          OsiClpSolverInterface& solver) {
  std::vector<double> lower, upper, cost, row_lower, row_upper;
  for (const Column& column : program.columns) {
    lower.push_back(ToCoin(column.lower));
    upper.push_back(ToCoin(column.upper));
    cost.push_back(column.cost);
  }
  for (const Row& row : program.rows) {
    row_lower.push_back(ToCoin(row.lower));
    row_upper.push_back(ToCoin(row.upper));
  }
  solver.messageHandler()->setLogLevel(0);
  solver.loadProblem(MakeMatrix(program), lower.data(), upper.data(),
                     cost.data(), row_lower.data(), row_upper.data());
  for (size_t c = 0; c < program.columns.size(); ++c) {
    if (program.columns[c].integer && !relax) solver.setInteger(c);
  }
}

// Returns integers in integer columns: the solver's are integral up to a
// tolerance only.
std::vector<double> Rounded(const LinearProgram& program, const double* values,
                            bool relax) {
  std::vector<double> rounded(values, values + program.columns.size());
  if (relax) return rounded;
  for (size_t c = 0; c < rounded.size(); ++c) {
    if (program.columns[c].integer) rounded[c] = std::round(rounded[c]);
  }
  return rounded;
}

void KeepValues(const LinearProgram& program, const double* values, bool relax,
                Solution& solution) {
  solution.values = Rounded(program, values, relax);
  solution.objective = ObjectiveOf(program, solution.values);
}

// Solves the relaxation at the root. The status is kSolved only if it ran to
// its end.
Solution SolveRelaxation(const LinearProgram& program,
                         OsiClpSolverInterface& solver) {
  Solution solution;
  solver.initialSolve();
  if (solver.isProvenPrimalInfeasible()) {
    solution.status = SolveStatus::kInfeasible;
  } else if (solver.isProvenOptimal()) {
    solution.status = SolveStatus::kSolved;
    KeepValues(program, solver.getColSolution(), /*relax=*/true, solution);
    solution.bound = solution.objective;
  }
  return solution;
}

// Adds the cuts and heuristics that pay on programs of flows under capacities.
void Configure(const SolveOptions& options, CbcModel& model) {
  model.setLogLevel(0);
  model.messageHandler()->setLogLevel(0);
  model.setUseElapsedTime(true);
  if (options.time_limit < absl::InfiniteDuration()) {
    model.setMaximumSeconds(absl::ToDoubleSeconds(options.time_limit));
  }
  model.setMaximumNodes(options.node_limit);
  // CBC takes the share of the larger of objective and bound.
  model.setAllowableFractionGap(options.gap / (1 + options.gap));
  model.setAllowableGap(0);
  model.setRandomSeed(options.seed);
  model.setNumberThreads(0);
  CglKnapsackCover covers;
  CglMixedIntegerRounding2 rounding_cuts;
  CglClique cliques;
  cliques.setStarCliqueReport(false);
  cliques.setRowCliqueReport(false);
  model.addCutGenerator(&covers, -5, "covers");
  model.addCutGenerator(&rounding_cuts, -5, "rounding");
  model.addCutGenerator(&cliques, -5, "cliques");
  CbcRounding rounding(model);
  CbcHeuristicDiveCoefficient dive(model);
  model.addHeuristic(&rounding, "rounding");
  model.addHeuristic(&dive, "dive");
}

// Returns what the search may leave between its solution and its bound. CBC
// prunes by it, so what it calls finished is proven only up to this.
double Allowance(const SolveOptions& options, double objective) {
  return std::max(1e-7, options.gap) * std::max(1.0, std::abs(objective));
}

void ReadOutcome(const LinearProgram& program, const SolveOptions& options,
                 CbcModel& model, double root_bound, Solution& solution) {
  solution.nodes = model.getNodeCount();
  const double* best = model.bestSolution();
  const bool finished = model.status() == 0 && !model.isSecondsLimitReached();
  if (best == nullptr) {
    const bool infeasible = finished && model.isProvenInfeasible();
    solution.status =
        infeasible ? SolveStatus::kInfeasible : SolveStatus::kUnknown;
    solution.bound = root_bound;
    return;
  }
  KeepValues(program, best, /*relax=*/false, solution);
  const double allowance = Allowance(options, solution.objective);
  const double proven =
      finished ? solution.objective - (options.gap > 0 ? allowance : 0)
               : model.getBestPossibleObjValue() + program.constant;
  solution.bound = std::min(solution.objective, std::max(root_bound, proven));
  const bool solved =
      finished || solution.objective - solution.bound <= allowance;
  solution.status = solved ? SolveStatus::kSolved : SolveStatus::kFeasible;
}

}  // namespace

Solution CbcSolver::Solve(const LinearProgram& program,
                          const SolveOptions& options) const {
  const absl::Time start = SteadyNow();
  OsiClpSolverInterface clp;
  Load(program, options.relax, clp);
  if (options.time_limit < absl::InfiniteDuration()) {
    clp.getModelPtr()->setMaximumSeconds(
        absl::ToDoubleSeconds(options.time_limit));
  }
  const ProgramEvents program_events(options.cancellation);
  clp.getModelPtr()->passInEventHandler(&program_events);
  Solution root = SolveRelaxation(program, clp);
  if (options.relax) return root;
  const bool warm = IsFeasible(program, options.warm_start);
  if (root.status == SolveStatus::kInfeasible && !warm) return root;
  Solution solution;
  if (warm) KeepValues(program, options.warm_start.data(), false, solution);
  if (warm) solution.status = SolveStatus::kFeasible;
  if (root.status != SolveStatus::kSolved) return solution;
  solution.bound = root.bound;
  SolveOptions rest = options;
  rest.time_limit -= SteadyNow() - start;
  if (rest.time_limit <= absl::ZeroDuration()) return solution;
  if (options.cancellation.IsCancelled()) return solution;
  clp.getModelPtr()->setMaximumSeconds(-1);
  CbcModel model(clp);
  Configure(rest, model);
  const SearchEvents search_events(options.cancellation);
  model.passInEventHandler(&search_events);
  if (warm) {
    model.setBestSolution(options.warm_start.data(),
                          static_cast<int>(program.columns.size()),
                          solution.objective - program.constant,
                          /*check=*/false);
  }
  try {
    model.branchAndBound();
  } catch (const CoinError&) {
    // CBC reports in this way that its arithmetic broke down. What was known
    // before it began still holds.
    return solution;
  }
  ReadOutcome(program, options, model, root.bound, solution);
  return solution;
}

}  // namespace stowage::policies
