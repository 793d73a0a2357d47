// Shortens residencies to the time they need. A copy in begins when it and
// those behind it in its lane must, or when its lane gets to it. A copy out is
// waited for when it has ended. A tensor that need not be copied out is dropped
// behind its last use. The step takes as long, and addresses are found more
// easily; once they are, move_windows.h gives the copies the time that is left.
//
//   TightenResidencies(graph, system, CopiesBegin::kLate, input);
//
// Pure function.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_TIGHTENING_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_TIGHTENING_H_

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Says which copies begin late. Late copies leave most room to others, and no
// time for delays, of which block devices have many: with kLateFromMemory,
// copies from those begin when their lane gets to them.
enum class CopiesBegin { kLateFromMemory, kLate };

// Tightens `input`, of which SketchPlan makes a plan.
void TightenResidencies(const Graph& graph, const MemorySystem& system,
                        CopiesBegin begin, BuildInput& input);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_TIGHTENING_H_
