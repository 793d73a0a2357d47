// Changes where a tensor that is alive as a step begins spends the end of a
// step. Either it is in the fast tier all the time from its last use to its
// first one in the next step, or it leaves in between: it then returns before
// the step ends, returns in the next step, or leaves only then.
//
//   if (CrossOtherwise(random, uses, kernels, residencies)) Judge(residencies);
//
// Pure functions, but for `random`. `uses` are ascending, `kernels` is their
// number in a step. `residencies` are all of one tensor, by begin; whether they
// can be built afterwards is for the caller to find out.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_STEP_CROSSING_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_STEP_CROSSING_H_

#include <random>
#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Draws another way across the end of the step. Returns false if there is none.
bool CrossOtherwise(std::mt19937_64& random,
                    const std::vector<KernelIndex>& uses, KernelIndex kernels,
                    std::vector<Residency>& residencies);

// Lets the tensor leave both sides of the end of the step if a change left it
// in the fast tier on one side alone.
void MendCrossing(std::mt19937_64& random, const std::vector<KernelIndex>& uses,
                  KernelIndex kernels, std::vector<Residency>& residencies);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_STEP_CROSSING_H_
