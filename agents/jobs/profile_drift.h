// Decides whether a later profile of the same kernels is worth another plan.
// The first profile of a job comes from a step in demand mode, where kernels
// may run slower than in a step that follows a plan.
//
//   KeepMeasured(known.graph, &fresh);
//   if (HasDrifted(known.kernels_ns, KernelsNs(fresh))) plan = MakePlan(fresh);
#ifndef STOWAGE_AGENTS_JOBS_PROFILE_DRIFT_H_
#define STOWAGE_AGENTS_JOBS_PROFILE_DRIFT_H_

#include <cstdint>

#include "stowage/v1/graph.pb.h"

namespace stowage::agent {

// All kernels and the gaps between them, everything in fast memory.
int64_t KernelsNs(const v1::Graph& graph);

// By more than a tenth of what was planned with.
bool HasDrifted(int64_t planned_ns, int64_t measured_ns);

// Kernels that used slow memory in the later step, but not in the earlier one,
// keep the earlier duration. Both graphs have the same kernels.
void KeepMeasured(const v1::Graph& earlier, v1::Graph* later);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PROFILE_DRIFT_H_
