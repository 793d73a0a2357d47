// Solves linear and integer programs. Policies know this interface only. cbc.h
// is one implementation; to link another solver, write one more.
//
//   CbcSolver solver;
//   Solution solution = solver.Solve(program, {.gap = 0.01});
//   if (solution.has_values()) Use(solution.values, solution.gap());
#ifndef STOWAGE_POLICIES_SOLVER_SOLVER_H_
#define STOWAGE_POLICIES_SOLVER_SOLVER_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "policies/plan/cancellation.h"
#include "policies/solver/linear_program.h"

namespace stowage::policies {

struct SolveOptions {
  // A limit of wall-clock time. Where it cuts a search short depends on the
  // machine's speed; only `node_limit` ends a search at the same place every
  // time.
  absl::Duration time_limit = absl::InfiniteDuration();
  int node_limit = 1'000'000;  // of the branch-and-bound tree; 0: the root only
  // Solutions at most this share above the proven bound are good enough.
  double gap = 0;
  int32_t seed = 1;
  // A feasible solution to begin with, or empty. An infeasible one is ignored.
  std::vector<double> warm_start;
  // Leaves integrality out: the solution is the relaxation's.
  bool relax = false;
  // Once cancelled, the search ends as at its time limit.
  Cancellation cancellation;
};

enum class SolveStatus {
  kSolved,      // proven to be within the gap that was asked for
  kFeasible,    // a limit was reached with a solution at hand
  kInfeasible,  // proven to have no solution
  kUnknown,     // a limit was reached without a solution, or unbounded
};

struct Solution {
  SolveStatus status = SolveStatus::kUnknown;
  double objective = kUnbounded;
  // The proven bound: no solution costs less.
  double bound = -kUnbounded;
  std::vector<double> values;  // by column; integral where that was asked for
  int64_t nodes = 0;

  bool has_values() const { return !values.empty(); }
  // Returns the share of the objective that is not proven to be necessary;
  // infinite without a solution or a bound.
  double gap() const;
};

// Safe to call from several threads. Starts none and writes nothing.
class Solver {
 public:
  virtual ~Solver() = default;

  // Returns a name that goes into a plan's notes, such as "cbc".
  virtual const char* name() const = 0;

  // Blocks until the program is solved or a limit is reached. Deterministic
  // unless the time limit ends it.
  virtual Solution Solve(const LinearProgram& program,
                         const SolveOptions& options) const = 0;
};

inline double Solution::gap() const {
  if (!has_values() || std::isinf(bound)) return kUnbounded;
  const double distance = objective - bound;
  if (distance <= 0) return 0;
  return distance / std::max(std::abs(objective), 1e-9);
}

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SOLVER_SOLVER_H_
