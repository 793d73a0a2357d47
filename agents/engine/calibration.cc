#include "agents/engine/calibration.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "agents/engine/both_ways.h"
#include "agents/engine/hand_over.h"
#include "agents/engine/interference.h"
#include "agents/engine/mover.h"
#include "agents/engine/tier_room.h"
#include "client_sdk/session/session.h"
#include "timing/bell.h"

namespace stowage::agent {
namespace {

// What kernels stream at a time, about.
constexpr int64_t kStreamedBytes = 64 << 10;

struct CurvePoint {
  int64_t buffer_bytes;
  int64_t duration_ns;
};

using Curve = std::vector<CurvePoint>;

absl::StatusOr<Curve> MeasureCurve(const Mover& mover, MoveOrder order,
                                   const std::string& name,
                                   const CalibrationOptions& options) {
  Curve curve;
  for (const int64_t size_bytes : options.buffer_bytes) {
    Tell(options, name, size_bytes);
    order.size_bytes = size_bytes;
    const absl::StatusOr<int64_t> duration_ns =
        MeasureCopyNs(mover, order, options.repetitions);
    if (!duration_ns.ok()) return duration_ns.status();
    curve.push_back({size_bytes, *duration_ns});
  }
  return curve;
}

int64_t BandwidthOf(const CurvePoint& point) {
  return BytesPerSecond(point.buffer_bytes, point.duration_ns);
}

// Returns the share of its bandwidth that a lane keeps, in twentieths: the
// medium varies by as much from one trial to the next.
double BothWaysShare(int64_t beside_bytes_per_second, const CurvePoint& alone) {
  const double share = static_cast<double>(beside_bytes_per_second) /
                       static_cast<double>(BandwidthOf(alone));
  return std::clamp(std::round(20 * share) / 20, 0.05, 1.0);
}

void AddCopyCurve(int from, int to, const Curve& curve, int64_t setup_ns,
                  const v1::Slowdown& slowdown, int64_t beside_bytes_per_second,
                  v1::MemorySystem& system) {
  v1::CopyCurve& copy = *system.add_copies();
  *copy.mutable_slowdown() = slowdown;
  copy.set_both_ways_share(
      BothWaysShare(beside_bytes_per_second, curve.back()));
  copy.set_from_tier(from);
  copy.set_to_tier(to);
  copy.set_setup_ns(setup_ns);
  for (const CurvePoint& point : curve) {
    v1::CopyPoint& out = *copy.add_points();
    out.set_buffer_bytes(point.buffer_bytes);
    out.set_bytes_per_second(BandwidthOf(point));
  }
}

v1::Tier DescribeTier(const TierTraits& traits, int64_t read_bytes_per_second,
                      int64_t write_bytes_per_second) {
  v1::Tier tier;
  tier.set_name(traits.name);
  tier.set_addressable(traits.addressable);
  tier.set_streamable(traits.file);
  v1::BandwidthPoint& read = *tier.add_read();
  read.set_threads(1);
  read.set_bytes_per_second(read_bytes_per_second);
  v1::BandwidthPoint& write = *tier.add_write();
  write.set_threads(1);
  write.set_bytes_per_second(write_bytes_per_second);
  tier.set_read_latency_ns(traits.read_latency_ns);
  tier.set_write_latency_ns(traits.write_latency_ns);
  tier.set_page_bytes(session::kPageBytes);
  tier.set_price_usd_per_gb(traits.price_usd_per_gb);
  tier.set_copy_read_threads(traits.copy_read_threads);
  tier.set_copy_write_threads(traits.copy_write_threads);
  return tier;
}

// Returns the bandwidth that a kernel sees of memory that adds `ps_per_byte` to
// the time of DRAM.
int64_t SlowedBandwidth(const CurvePoint& fast, int64_t ps_per_byte) {
  return BytesPerSecond(
      fast.buffer_bytes,
      fast.duration_ns + fast.buffer_bytes * ps_per_byte / 1000);
}

// Returns the point that is nearest to what kernels stream at a time, from
// below if there is one.
const CurvePoint& StreamedPoint(const Curve& curve) {
  size_t at = 0;
  while (at + 1 < curve.size() &&
         curve[at + 1].buffer_bytes <= kStreamedBytes) {
    ++at;
  }
  return curve[at];
}

// Returns a system name: at most 128 letters, digits, '.', '_' and '-'.
std::string SystemName(const std::string& node, const std::string& slow) {
  std::string name = absl::StrCat(node, "-", slow).substr(0, 128);
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_') c = '-';
  }
  return name;
}

struct Curves {
  Curve out, in;
  Curve within_fast;
  Curve kernel_out, kernel_in;  // as one thread of a kernel copies
};

absl::StatusOr<Curves> MeasureCurves(const std::vector<TierRoom>& rooms,
                                     const Mover& mover,
                                     const CalibrationOptions& options) {
  const Bell never;
  const Mover one_thread(&rooms, &never, /*cores=*/1);
  const MoveOrder within_fast = {.to_offset_bytes =
                                     options.buffer_bytes.back()};
  absl::Status status;
  const auto measure = [&](const Mover& by, const MoveOrder& order,
                           const char* name) -> Curve {
    if (!status.ok()) return {};
    absl::StatusOr<Curve> curve = MeasureCurve(by, order, name, options);
    status = curve.status();
    return curve.ok() ? *std::move(curve) : Curve();
  };
  Curves curves;
  curves.out = measure(mover, kOutOfFast, "out");
  curves.in = measure(mover, kIntoFast, "in");
  curves.within_fast = measure(one_thread, within_fast, "within fast memory");
  const bool threads_gain = rooms.back().arena->gains_from_threads();
  curves.kernel_out = threads_gain
                          ? measure(one_thread, kOutOfFast, "out, a thread")
                          : curves.out;
  curves.kernel_in =
      threads_gain ? measure(one_thread, kIntoFast, "in, a thread") : curves.in;
  if (!status.ok()) return status;
  return curves;
}

// Describes the slow tier as each thread of a kernel sees it. Kernels use an
// addressable tier in place, and stream small chunks of a file through a window.
v1::Tier DescribeSlowTier(const TierTraits& traits, const Curves& curves) {
  const CurvePoint& fast = curves.within_fast.back();
  if (traits.file) {
    return DescribeTier(traits, BandwidthOf(StreamedPoint(curves.kernel_in)),
                        BandwidthOf(StreamedPoint(curves.kernel_out)));
  }
  if (traits.kernel_read_ps_per_byte > 0) {
    return DescribeTier(traits,
                        SlowedBandwidth(fast, traits.kernel_read_ps_per_byte),
                        SlowedBandwidth(fast, traits.kernel_write_ps_per_byte));
  }
  return DescribeTier(traits, BandwidthOf(curves.kernel_in.back()),
                      BandwidthOf(curves.kernel_out.back()));
}

}  // namespace

absl::StatusOr<v1::MemorySystem> MeasureMemorySystem(
    const std::string& node, const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options) {
  absl::StatusOr<std::vector<TierRoom>> rooms =
      MakeTrialRooms(fast, slow, options);
  if (!rooms.ok()) return rooms.status();
  const Bell never;
  const Mover mover(&*rooms, &never);
  const absl::StatusOr<Curves> curves = MeasureCurves(*rooms, mover, options);
  if (!curves.ok()) return curves.status();
  const absl::StatusOr<Slowdowns> slowed = MeasureSlowdowns(mover, options);
  if (!slowed.ok()) return slowed.status();
  const absl::StatusOr<BothWays> both =
      MeasureBothWays(mover, options.buffer_bytes.back(), options);
  if (!both.ok()) return both.status();

  v1::MemorySystem system;
  system.set_schema_version(1);
  system.set_name(SystemName(node, slow.traits().name));
  system.set_description("measured by stowage-agent when it started");
  const int64_t fast_bytes_per_second = BandwidthOf(curves->within_fast.back());
  *system.add_tiers() =
      DescribeTier(fast.traits(), fast_bytes_per_second, fast_bytes_per_second);
  *system.add_tiers() = DescribeSlowTier(slow.traits(), *curves);
  MoveOrder smallest = kOutOfFast;
  smallest.size_bytes = options.buffer_bytes.front();
  const int64_t setup_ns = MeasureHandOverNs(*std::move(rooms), smallest);
  AddCopyCurve(0, 1, curves->out, setup_ns, slowed->out,
               both->out_bytes_per_second, system);
  AddCopyCurve(1, 0, curves->in, setup_ns, slowed->in,
               both->in_bytes_per_second, system);
  return system;
}

}  // namespace stowage::agent
