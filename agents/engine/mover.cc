#include "agents/engine/mover.h"

#include <algorithm>
#include <cerrno>
#include <thread>

#include "absl/numeric/int128.h"
#include "absl/time/time.h"
#include "client_sdk/session/clock.h"

namespace stowage::agent {
namespace {

// The longest a medium makes one copy wait; sizes come from the job.
constexpr int64_t kMostDelayNs = 60'000'000'000;

// A sleep overshoots by about as much.
constexpr int64_t kSpinNs = 60'000;

// An emulated medium takes a copy in pieces, and each has its time: a real one
// does not take the processors for all of the copy first and then wait.
constexpr int64_t kEmulatedPieceBytes = 4 << 20;

// For so much at a time a copy has its turn at the media.
constexpr int64_t kPieceBytes = 16 << 20;

int64_t MediumTimeNs(const TierRoom& from, const TierRoom& to,
                     int64_t size_bytes, int threads) {
  const absl::int128 ps_per_byte = std::max(from.traits.copy_from_ps_per_byte,
                                            to.traits.copy_to_ps_per_byte);
  const absl::int128 ns = ps_per_byte * size_bytes / 1000 / threads;
  return static_cast<int64_t>(std::min<absl::int128>(ns, kMostDelayNs));
}

}  // namespace

int HostCores() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int Mover::Move(const MoveOrder& order) const {
  const auto known = [&](int32_t tier) {
    return tier >= 0 && tier < static_cast<int64_t>(rooms_->size());
  };
  if (!known(order.from_tier) || !known(order.to_tier)) return EINVAL;
  const TierRoom& from = (*rooms_)[order.from_tier];
  const TierRoom& to = (*rooms_)[order.to_tier];
  if (!CanCopy(*from.arena, order.from_offset_bytes, *to.arena,
               order.to_offset_bytes, order.size_bytes)) {
    return EINVAL;
  }
  const bool emulated = MediumTimeNs(from, to, order.size_bytes, 1) > 0;
  const int64_t piece_bytes = emulated ? kEmulatedPieceBytes : kPieceBytes;
  int64_t due_ns = session::NowNs();
  for (int64_t at = 0; at < order.size_bytes; at += piece_bytes) {
    MoveOrder piece = order;
    piece.from_offset_bytes += at;
    piece.to_offset_bytes += at;
    piece.size_bytes = std::min(piece_bytes, order.size_bytes - at);
    if (const int error = MovePiece(piece, &due_ns); error != 0) return error;
  }
  return 0;
}

// Moves what has one turn. `due_ns` says when the medium would be done with the
// pieces before it; a piece that was late makes those after it wait less.
int Mover::MovePiece(const MoveOrder& piece, int64_t* due_ns) const {
  const TierRoom& from = (*rooms_)[piece.from_tier];
  const TierRoom& to = (*rooms_)[piece.to_tier];
  const int useful =
      UsefulThreads(*from.arena, *to.arena, piece.size_bytes,
                    MediumTimeNs(from, to, piece.size_bytes, /*threads=*/1),
                    std::min({from.traits.copy_read_threads,
                              to.traits.copy_write_threads, cores_}));
  const Turn turn = {
      .job = this, .deadline_ns = piece.deadline_ns, .bytes = piece.size_bytes};
  const int64_t asked_ns = session::NowNs();
  const CopyGate::Pass reading =
      from.gate->Enter(CopyGate::kRead, turn, useful);
  const CopyGate::Pass writing =
      to.gate->Enter(CopyGate::kWrite, turn, reading.places());
  const int threads = writing.places();
  *due_ns += session::NowNs() - asked_ns +
             MediumTimeNs(from, to, piece.size_bytes, threads);
  const int error =
      CopyBetween(*from.arena, piece.from_offset_bytes, *to.arena,
                  piece.to_offset_bytes, piece.size_bytes, threads);
  if (error == 0) AwaitMedium(*due_ns);
  return error;
}

// Sleeps until shortly before `end_ns` and then spins: a small copy is over
// before a sleeper would wake up.
void Mover::AwaitMedium(int64_t end_ns) const {
  const int64_t sleep_ns = end_ns - kSpinNs - session::NowNs();
  if (sleep_ns > 0) {
    stop_->AwaitFor(absl::Nanoseconds(sleep_ns));
  }
  while (session::NowNs() < end_ns && !stop_->HasRung()) {
  }
}

}  // namespace stowage::agent
