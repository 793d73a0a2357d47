// Predicts a step on a node from an estimate for another one, whose tiers are of
// the same kinds and whose copies are faster or slower.
//
//   const CopySpeed here = CopySpeedOf(system);
//   const int64_t step_ns = StepTimeOn(PointAt(estimate, limit_bytes),
//                                      estimate.all_fast_ns, there, here);
//
// This is a first-order model: the same kernels and the same copies, which take
// another time. It makes no plan, so that thousands of nodes can be compared.
// Pure functions.
#ifndef STOWAGE_POLICIES_ESTIMATE_OTHER_NODE_H_
#define STOWAGE_POLICIES_ESTIMATE_OTHER_NODE_H_

#include <cstdint>

#include "policies/estimate/estimate.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// What copies between the fast tier and the next one take.
struct CopySpeed {
  double in_ns_per_byte = 0;
  double out_ns_per_byte = 0;
  double in_setup_ns = 0;  // of each copy
  double out_setup_ns = 0;
};

CopySpeed CopySpeedOf(const MemorySystem& system);

// Returns how fast copies are of which `jobs` share the medium evenly, >= 1.
CopySpeed SharedBy(int jobs, CopySpeed speed);

// Returns the estimate under a limit: between two points all values are linear,
// and above the last one they are those of the last one. The limit is at least
// the estimate's least one.
EstimatePoint PointAt(const JobEstimate& estimate, int64_t limit_bytes);

// Returns how long the step of `point`, an estimate with copies as fast as
// `there`, takes with copies as fast as `here`. The part of its copies that
// kernels hide stays hidden; of the rest, the step waits for as much as there
// is. Where the step waits for longer than its copies take, because kernels use
// slow memory in place, this scales as the copies do.
int64_t StepTimeOn(const EstimatePoint& point, int64_t all_fast_ns,
                   const CopySpeed& there, const CopySpeed& here);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_ESTIMATE_OTHER_NODE_H_
