// A solution to begin with, so that a search that is cut short ends with a
// plan.
//
//   options.warm_start = WarmStart(problem, formulation, solver, options);
#ifndef STOWAGE_POLICIES_AUTOTM_WARM_START_H_
#define STOWAGE_POLICIES_AUTOTM_WARM_START_H_

#include <vector>

#include "policies/autotm/formulation.h"
#include "policies/solver/solver.h"

namespace stowage::policies {

// Values of `formulation`, which is the one of `problem`. With synchronous
// moves: what the relaxation has fast for certain, all else slow. With
// asynchronous ones: the solution with synchronous moves, then its
// copies beside kernels where there is room. Takes up to 0.6 of the time limit
// of `options`.
std::vector<double> WarmStart(const FlowProblem& problem,
                              const Formulation& formulation,
                              const Solver& solver,
                              const SolveOptions& options);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_WARM_START_H_
