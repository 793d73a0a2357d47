#include "policies/estimate/other_node.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stowage::policies {
namespace {

constexpr TierIndex kSlowTier = 1;
// Large enough for a curve's last point.
constexpr int64_t kLargeBytes = int64_t{1} << 30;

// Divides what a copy takes into a constant and what each byte takes.
void Divide(const MemorySystem& system, TierIndex from, TierIndex to,
            double* setup_ns, double* ns_per_byte) {
  const auto none_ns = static_cast<double>(system.CopyDurationNs(from, to, 1));
  const auto large_ns =
      static_cast<double>(system.CopyDurationNs(from, to, kLargeBytes));
  *setup_ns = none_ns;
  *ns_per_byte = std::max(0.0, large_ns - none_ns) / kLargeBytes;
}

// The directions are lanes of their own: the busier one says how long.
double CopiesNs(const EstimatePoint& point, const CopySpeed& speed) {
  const double in_ns =
      static_cast<double>(point.moved_in_bytes) * speed.in_ns_per_byte +
      static_cast<double>(point.moves_in) * speed.in_setup_ns;
  const double out_ns =
      static_cast<double>(point.moved_out_bytes) * speed.out_ns_per_byte +
      static_cast<double>(point.moves_out) * speed.out_setup_ns;
  return std::max(in_ns, out_ns);
}

int64_t Between(int64_t low, int64_t high, double share) {
  return low + std::llround(static_cast<double>(high - low) * share);
}

}  // namespace

CopySpeed CopySpeedOf(const MemorySystem& system) {
  CopySpeed speed;
  Divide(system, kSlowTier, kFastTier, &speed.in_setup_ns,
         &speed.in_ns_per_byte);
  Divide(system, kFastTier, kSlowTier, &speed.out_setup_ns,
         &speed.out_ns_per_byte);
  return speed;
}

CopySpeed SharedBy(int jobs, CopySpeed speed) {
  speed.in_ns_per_byte *= jobs;
  speed.out_ns_per_byte *= jobs;
  return speed;
}

EstimatePoint PointAt(const JobEstimate& estimate, int64_t limit_bytes) {
  const auto above =
      std::upper_bound(estimate.points.begin(), estimate.points.end(),
                       limit_bytes, [](int64_t bytes, const EstimatePoint& p) {
                         return bytes < p.limit_bytes;
                       });
  if (above == estimate.points.begin()) return estimate.points.front();
  const EstimatePoint& low = *std::prev(above);
  if (above == estimate.points.end()) return low;
  const double share =
      static_cast<double>(limit_bytes - low.limit_bytes) /
      static_cast<double>(above->limit_bytes - low.limit_bytes);
  return {
      .limit_bytes = limit_bytes,
      .step_time_ns = Between(low.step_time_ns, above->step_time_ns, share),
      .bound_ns = Between(low.bound_ns, above->bound_ns, share),
      .slow_peak_bytes =
          Between(low.slow_peak_bytes, above->slow_peak_bytes, share),
      .moved_in_bytes =
          Between(low.moved_in_bytes, above->moved_in_bytes, share),
      .moved_out_bytes =
          Between(low.moved_out_bytes, above->moved_out_bytes, share),
      .moves_in = Between(low.moves_in, above->moves_in, share),
      .moves_out = Between(low.moves_out, above->moves_out, share),
      .streaming_kernels = low.streaming_kernels,
      .price_usd = low.price_usd + (above->price_usd - low.price_usd) * share};
}

int64_t StepTimeOn(const EstimatePoint& point, int64_t all_fast_ns,
                   const CopySpeed& there, const CopySpeed& here) {
  const auto waits_ns = static_cast<double>(
      std::max<int64_t>(0, point.step_time_ns - all_fast_ns));
  const double there_ns = CopiesNs(point, there);
  const double here_ns = CopiesNs(point, here);
  if (there_ns <= 0) return point.step_time_ns;
  const double waits_here_ns =
      waits_ns > there_ns ? waits_ns * here_ns / there_ns
                          : std::max(0.0, here_ns - there_ns + waits_ns);
  return all_fast_ns + std::llround(waits_here_ns);
}

}  // namespace stowage::policies
