#include "agents/engine/both_ways.h"

#include "absl/status/status.h"
#include "agents/engine/mover.h"
#include "agents/engine/repeated_copy.h"
#include "timing/bell.h"

namespace stowage::agent {
namespace {

// Returns the bandwidth of `order` while `other` is repeated on another thread.
absl::StatusOr<int64_t> MeasureBeside(const Mover& mover,
                                      const MoveOrder& order,
                                      const MoveOrder& other, int repetitions) {
  RepeatedCopy beside(mover, other);
  const absl::StatusOr<int64_t> duration_ns =
      MeasureCopyNs(mover, order, repetitions);
  const absl::Status stopped = beside.Stop();
  if (!duration_ns.ok()) return duration_ns.status();
  if (!stopped.ok()) return stopped;
  return BytesPerSecond(order.size_bytes, *duration_ns);
}

}  // namespace

absl::StatusOr<BothWays> MeasureBothWays(const Mover& mover, int64_t size_bytes,
                                         const CalibrationOptions& options) {
  Tell(options, "both ways", size_bytes);
  MoveOrder out = kOutOfFast, in = kIntoFast;
  out.size_bytes = in.size_bytes = size_bytes;
  in.from_offset_bytes = in.to_offset_bytes = options.buffer_bytes.back();
  const auto out_speed = MeasureBeside(mover, out, in, options.repetitions);
  if (!out_speed.ok()) return out_speed.status();
  const auto in_speed = MeasureBeside(mover, in, out, options.repetitions);
  if (!in_speed.ok()) return in_speed.status();
  return BothWays{size_bytes, *out_speed, *in_speed};
}

absl::StatusOr<std::vector<BothWays>> MeasureBothWays(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options) {
  const absl::StatusOr<std::vector<TierRoom>> rooms =
      MakeTrialRooms(fast, slow, options);
  if (!rooms.ok()) return rooms.status();
  const Bell never;
  const Mover mover(&*rooms, &never);
  std::vector<BothWays> both;
  for (const int64_t size_bytes : options.buffer_bytes) {
    const auto measured = MeasureBothWays(mover, size_bytes, options);
    if (!measured.ok()) return measured.status();
    both.push_back(*measured);
  }
  return both;
}

}  // namespace stowage::agent
