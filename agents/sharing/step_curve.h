// Tells how long a job's step takes with more or less fast memory, and what more
// of it is worth.
//
//   const StepCurve curve = {{.limit_bytes = 30 << 20, .step_ns = 900'000'000},
//                            {.limit_bytes = 60 << 20, .step_ns = 500'000'000}};
//   for (const Gain& gain : GainsOf(curve, 30 << 20, 60 << 20)) Offer(gain);
#ifndef STOWAGE_AGENTS_SHARING_STEP_CURVE_H_
#define STOWAGE_AGENTS_SHARING_STEP_CURVE_H_

#include <cstdint>
#include <vector>

namespace stowage::agent {

struct CurvePoint {
  int64_t limit_bytes = 0;
  int64_t step_ns = 0;  // predicted for a plan under that limit
};

// Has ascending limits. Empty: not known.
using StepCurve = std::vector<CurvePoint>;

// The limits of interest, in bytes.
struct CurveRange {
  int64_t least_bytes = 0;
  int64_t most_bytes = 0;
};

// So many more bytes make a step shorter by so much a byte.
struct Gain {
  int64_t bytes = 0;
  double ns_per_byte = 0;
};

// Returns how long a step takes with `limit_bytes`, in nanoseconds; 0 if the
// curve is not known. Between points a curve is straight. Where it has no point
// because there is no plan, below its first one, a step is taken to last several
// times as long; above its last one more bytes gain nothing. Pure.
int64_t StepNsAt(const StepCurve& curve, int64_t limit_bytes);

// Returns what the job gains by going from `least_bytes` to `most_bytes`, the
// dearest bytes first, so that the gains of several jobs can be merged: they
// are the sides of the curve's lower convex hull. Empty if the curve is, or if
// there is nothing to go. Pure.
std::vector<Gain> GainsOf(const StepCurve& curve, int64_t least_bytes,
                          int64_t most_bytes);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_SHARING_STEP_CURVE_H_
