// Offers COIN-OR's branch-and-cut code, CBC, behind the Solver interface.
//
//   CbcSolver solver;
//   Solution solution = solver.Solve(program, {.gap = 0.01});
//
// Stateless: every call builds its own model.
#ifndef STOWAGE_POLICIES_SOLVER_CBC_H_
#define STOWAGE_POLICIES_SOLVER_CBC_H_

#include "policies/solver/solver.h"

namespace stowage::policies {

class CbcSolver : public Solver {
 public:
  const char* name() const override { return "cbc"; }
  Solution Solve(const LinearProgram& program,
                 const SolveOptions& options) const override;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SOLVER_CBC_H_
