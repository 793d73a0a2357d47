// Decides whether a later profile of the same kernels is worth another plan.
// The first profile of a job comes from a step in demand mode, where kernels
// may run slower than in a step that follows a plan.
//
//   KeepMeasured(known.graph, &fresh);
//   if (HasDrifted(known.kernels_ns, KernelsNs(fresh))) plan = MakePlan(fresh);
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_PROFILE_DRIFT_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_PROFILE_DRIFT_H_

#include <cstdint>
#include <vector>

#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// Returns the duration of all kernels and of the gaps between them, with
// everything in fast memory.
int64_t KernelsNs(const v1::Graph& graph);

// Returns whether the two differ by more than a twentieth of `planned_ns`.
bool HasDrifted(int64_t planned_ns, int64_t measured_ns);

// Gives those kernels of `later` their earlier duration that used slow memory
// in the later step alone, and those what was measured of their streaming that
// streamed in the earlier step alone. Both graphs have the same kernels.
void KeepMeasured(const v1::Graph& earlier, v1::Graph* later);

// Returns the gap before each kernel.
std::vector<int64_t> GapsNs(const v1::Graph& graph);

// Gives each kernel no longer a gap than the earlier profile had before it. A
// step that waited once, for its input or while a checkpoint was written, says
// nothing of the next ones; one that waits as long the next time does.
void DropPauses(const std::vector<int64_t>& earlier_gaps_ns, v1::Graph* later);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_PROFILE_DRIFT_H_
