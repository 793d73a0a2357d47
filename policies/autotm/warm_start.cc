#include "policies/autotm/warm_start.h"

#include "policies/autotm/overlap.h"

namespace stowage::policies {
namespace {

std::vector<double> RoundRelaxation(const FlowProblem& problem,
                                    const Formulation& formulation,
                                    const Solver& solver,
                                    SolveOptions options) {
  options.relax = true;
  const Solution relaxed = solver.Solve(formulation.program(), options);
  return formulation.ValuesOf(relaxed.has_values()
                                  ? formulation.PathsOf(relaxed.values)
                                  : SlowestPaths(problem.flows));
}

Paths SolveSynchronously(const FlowProblem& problem, const Solver& solver,
                         SolveOptions options) {
  FlowProblem synchronous = problem;
  synchronous.rules.movement = Movement::kSynchronous;
  const Formulation formulation(synchronous);
  options.time_limit *= 0.3;
  options.warm_start =
      RoundRelaxation(synchronous, formulation, solver, options);
  const Solution solution = solver.Solve(formulation.program(), options);
  return solution.has_values() ? formulation.PathsOf(solution.values)
                               : SlowestPaths(problem.flows);
}

}  // namespace

std::vector<double> WarmStart(const FlowProblem& problem,
                              const Formulation& formulation,
                              const Solver& solver,
                              const SolveOptions& options) {
  if (problem.rules.movement != Movement::kAsynchronous) {
    return RoundRelaxation(problem, formulation, solver, options);
  }
  return formulation.ValuesOf(
      MoveBesideKernels(problem, SolveSynchronously(problem, solver, options)));
}

}  // namespace stowage::policies
