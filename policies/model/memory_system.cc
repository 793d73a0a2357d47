#include "policies/model/memory_system.h"

#include <algorithm>
#include <cmath>

namespace stowage::policies {
namespace {

// No single copy is said to last longer (about 13 days), so that sums of many
// stay far below 2^63.
constexpr double kMaxCopyNs = static_cast<double>(int64_t{1} << 50);

int64_t PeakBandwidth(const std::vector<BandwidthPoint>& curve) {
  int64_t peak = 0;
  for (const BandwidthPoint& point : curve) {
    peak = std::max(peak, point.bytes_per_second);
  }
  return peak;
}

double Interpolate(const std::vector<CopyPoint>& points, int64_t bytes) {
  const auto above = std::find_if(
      points.begin(), points.end(),
      [bytes](const CopyPoint& point) { return point.buffer_bytes >= bytes; });
  if (above == points.begin()) return points.front().bytes_per_second;
  if (above == points.end()) return points.back().bytes_per_second;
  const CopyPoint& below = *(above - 1);
  const double share =
      static_cast<double>(bytes - below.buffer_bytes) /
      static_cast<double>(above->buffer_bytes - below.buffer_bytes);
  return below.bytes_per_second +
         share * static_cast<double>(above->bytes_per_second -
                                     below.bytes_per_second);
}

}  // namespace

int64_t Tier::peak_read_bytes_per_second() const { return PeakBandwidth(read); }

int64_t Tier::peak_write_bytes_per_second() const {
  return PeakBandwidth(write);
}

int64_t MemorySystem::CopyDurationNs(TierIndex from, TierIndex to,
                                     int64_t bytes) const {
  double bytes_per_second = 0;
  int64_t setup_ns = 0;
  bool listed = false;
  for (const CopyCurve& curve : copies) {
    if (curve.from_tier != from || curve.to_tier != to) continue;
    bytes_per_second = Interpolate(curve.points, bytes);
    setup_ns = curve.setup_ns;
    listed = true;
  }
  if (!listed) {
    bytes_per_second =
        static_cast<double>(std::min(tiers[from].peak_read_bytes_per_second(),
                                     tiers[to].peak_write_bytes_per_second()));
  }
  const double copy_ns = static_cast<double>(bytes) / bytes_per_second * 1e9;
  return static_cast<int64_t>(
      std::min(kMaxCopyNs, std::ceil(copy_ns) + setup_ns));
}

Slowdown MemorySystem::SlowdownBeside(TierIndex from, TierIndex to) const {
  for (const CopyCurve& curve : copies) {
    if (curve.from_tier == from && curve.to_tier == to) return curve.slowdown;
  }
  return {};
}

double MemorySystem::BothWaysShare(TierIndex from, TierIndex to) const {
  for (const CopyCurve& curve : copies) {
    if (curve.from_tier == from && curve.to_tier == to) {
      return curve.both_ways_share;
    }
  }
  return 1;
}

bool HasAddressableSlowTier(const MemorySystem& system) {
  return std::any_of(system.tiers.begin() + 1, system.tiers.end(),
                     [](const Tier& tier) { return tier.addressable; });
}

}  // namespace stowage::policies
