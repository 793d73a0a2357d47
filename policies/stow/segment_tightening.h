// Shortens stays to what they need in time: a copy in begins when its lane gets
// to it, or when it and those behind it in its lane must, a copy out is waited for when it has ended, and what
// need not be copied out is dropped behind its last use. The step takes as long,
// and addresses are found more easily; once they are, move_windows.h gives the
// copies what time is left.
//
//   TightenSegments(graph, system, CopiesBegin::kWithLane, input);
//
// Pure function.
#ifndef STOWAGE_POLICIES_STOW_SEGMENT_TIGHTENING_H_
#define STOWAGE_POLICIES_STOW_SEGMENT_TIGHTENING_H_

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan_builder.h"

namespace stowage {

// Late copies leave most room to others, and no time for delays.
enum class CopiesBegin { kWithLane, kLate };

// `input` is one that SketchPlan makes a plan of.
void TightenSegments(const Graph& graph, const MemorySystem& system,
                     CopiesBegin begin, BuildInput& input);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_SEGMENT_TIGHTENING_H_
