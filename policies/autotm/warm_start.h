// Makes a solution to begin with, so that a search that is cut short ends with
// a plan.
//
//   options.warm_start = WarmStart(problem, formulation, solver, options);
#ifndef STOWAGE_POLICIES_AUTOTM_WARM_START_H_
#define STOWAGE_POLICIES_AUTOTM_WARM_START_H_

#include <vector>

#include "policies/autotm/formulation.h"
#include "policies/solver/solver.h"

namespace stowage::policies {

// Returns values of `formulation`, which is the one of `problem`. With
// synchronous moves, tensors are fast where the relaxation has them fast for
// certain, and slow elsewhere. With asynchronous ones, it is the solution with
// synchronous moves, whose copies then go beside kernels where there is room.
// Takes up to 0.6 of the time limit of `options`.
std::vector<double> WarmStart(const FlowProblem& problem,
                              const Formulation& formulation,
                              const Solver& solver,
                              const SolveOptions& options);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_WARM_START_H_
