#include "agents/engine/trial_copies.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/size_spec.h"
#include "timing/bell.h"

namespace stowage::agent {
namespace {

absl::StatusOr<TierRoom> MakeRoom(const TierProvider& provider,
                                  int64_t arena_bytes) {
  absl::StatusOr<std::unique_ptr<Arena>> arena =
      provider.CreateArena(arena_bytes);
  if (!arena.ok()) return arena.status();
  const TierTraits& traits = provider.traits();
  return TierRoom{.arena = *std::move(arena),
                  .traits = traits,
                  .gate = std::make_shared<CopyGate>(
                      traits.copy_read_threads, traits.copy_write_threads)};
}

absl::string_view RemedyFor(int error) {
  return error == ENOSPC || error == EDQUOT
             ? "; free some space in the directory of the slow tier, or name "
               "another one with --slow"
             : "; look at the kernel's log (dmesg), or name another --slow";
}

// Makes the blocks or pages of the slow tier that copies write and read.
absl::Status WriteOnce(const std::vector<TierRoom>& rooms, int64_t size_bytes) {
  const Bell never;
  const Mover mover(&rooms, &never);
  MoveOrder order = kOutOfFast;
  order.size_bytes = size_bytes;
  absl::Status status = MeasureCopyNs(mover, order, /*repetitions=*/1).status();
  order.to_offset_bytes = size_bytes;
  status.Update(MeasureCopyNs(mover, order, /*repetitions=*/1).status());
  return status;
}

}  // namespace

absl::StatusOr<std::vector<TierRoom>> MakeTrialRooms(
    const TierProvider& fast, const TierProvider& slow,
    const CalibrationOptions& options) {
  const int64_t size_bytes = options.buffer_bytes.back();
  std::vector<TierRoom> rooms;
  for (const TierProvider* provider : {&fast, &slow}) {
    absl::StatusOr<TierRoom> room = MakeRoom(*provider, 3 * size_bytes);
    if (!room.ok()) return room.status();
    rooms.push_back(*std::move(room));
  }
  // Pages that were never touched would count as slow copies.
  std::memset(rooms.front().arena->mapped(), 1, 3 * size_bytes);
  const absl::Status written = WriteOnce(rooms, size_bytes);
  if (!written.ok()) return written;
  return rooms;
}

absl::StatusOr<int64_t> MeasureCopyNs(const Mover& mover,
                                      const MoveOrder& order, int repetitions) {
  std::vector<int64_t> durations_ns(repetitions);
  for (int64_t& duration_ns : durations_ns) {
    const int64_t begin_ns = session::NowNs();
    const int error = mover.Move(order);
    if (error != 0) {
      return absl::ErrnoToStatus(
          error, absl::StrCat("a trial copy of ", order.size_bytes,
                              " bytes failed", RemedyFor(error)));
    }
    duration_ns = session::NowNs() - begin_ns;
  }
  std::sort(durations_ns.begin(), durations_ns.end());
  return std::max(durations_ns[repetitions / 2], int64_t{1});
}

void Tell(const CalibrationOptions& options, const std::string& curve,
          int64_t size_bytes) {
  if (!options.progress) return;
  options.progress(absl::StrCat(curve, ", ", session::SizeText(size_bytes)));
}

int64_t RoundToTwoDigits(int64_t value) {
  int64_t unit = 1;
  while (value / unit >= 100) unit *= 10;
  return (value + unit / 2) / unit * unit;
}

int64_t BytesPerSecond(int64_t size_bytes, int64_t duration_ns) {
  return std::max<int64_t>(
      RoundToTwoDigits(size_bytes * 1'000'000'000 / duration_ns), 1);
}

}  // namespace stowage::agent
