// Finds the knee of a curve of step times over limits: the limit below which a
// job slows down steeply, and above which more fast memory gains little.
//
//   const int64_t limit_bytes = KneeBytes(estimate.points);
#ifndef STOWAGE_POLICIES_ESTIMATE_KNEE_H_
#define STOWAGE_POLICIES_ESTIMATE_KNEE_H_

#include <cstdint>
#include <vector>

#include "policies/estimate/estimate.h"

namespace stowage::policies {

// Returns the limit of the point that lies furthest below the straight line from
// the first point to the last one, with both axes scaled to 1 (Kneedle:
// Satopaa et al., 2011). A point at which kernels stream is no knee. Returns 0
// where no point lies a twentieth below that line, and where steps differ by
// less than a hundredth. `points` ascend by limit. Pure.
int64_t KneeBytes(const std::vector<EstimatePoint>& points);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_ESTIMATE_KNEE_H_
