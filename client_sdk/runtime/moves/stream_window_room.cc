// What leaves a StreamWindow for what comes.
#include <utility>

#include "client_sdk/runtime/moves/stream_window.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

// So many random frames are looked at before one is waited for.
constexpr int kTries = 8;

}  // namespace

// Frees frames side by side: those of what the stream passed, or any. Leaves out
// the chunks that are needed last rather than wait for frames.
int StreamWindow::TakeFrames(const FaultStreams::Stream& stream,
                             ChunkRange* chunks, int* first) {
  *first = frames_.FindFree(chunks->size());
  if (*first != WindowFrames::kNone) return 0;
  *first = PassedFrames(stream, chunks->size());
  if (stream.direction == 0 && *first == WindowFrames::kNone) {
    *first = LeftFrame();
  }
  if (*first == WindowFrames::kNone && chunks->size() == 1) {
    *first = LongPassedFrame();
  }
  while (*first == WindowFrames::kNone) {
    *first = RandomFrames(chunks->size());
    if (*first != WindowFrames::kNone) break;
    const int64_t fewer = chunks->size() / 2;
    if (stream.direction < 0) {
      chunks->begin = chunks->end - fewer;
    } else {
      chunks->end = chunks->begin + fewer;
    }
  }
  for (int i = *first; i < *first + chunks->size(); ++i) {
    Piece* piece = frames_.At(i);
    if (piece == nullptr) continue;
    if (int error = Evict(*piece, /*keep=*/true)) return error;
  }
  return 0;
}

// Returns the frame of what a row left first, even if it must be written yet.
int StreamWindow::LeftFrame() {
  while (left_begin_ < left_end_) {
    const Piece* piece = LeftPiece(left_begin_++);
    if (piece != nullptr && piece->number != serving_) {
      return frames_.FirstOf(*piece);
    }
  }
  return WindowFrames::kNone;
}

// Returns the frame of the piece that was passed longest ago, of those that
// `passed_` knows.
int StreamWindow::LongPassedFrame() {
  for (size_t i = 0; i < passed_.size(); ++i) {
    uint64_t& number = passed_[(passed_end_ + i) % passed_.size()];
    const Piece* piece = frames_.FindNumber(std::exchange(number, 0));
    if (piece != nullptr && piece->number != serving_) {
      return frames_.FirstOf(*piece);
    }
  }
  return WindowFrames::kNone;
}

int StreamWindow::PassedFrames(const FaultStreams::Stream& stream,
                               int64_t count) {
  Piece* passed = frames_.FindNumber(stream.pieces[stream.oldest]);
  const bool enough = passed != nullptr && passed->number != serving_ &&
                      passed->frames() >= count;
  return enough ? frames_.FirstOf(*passed) : WindowFrames::kNone;
}

// Chooses at random. Kernels sweep over their operands again and again, and of
// a sweep that does not fit the oldest chunk is the next one needed: any is
// better. Returns kNone if several frames would have to be waited for.
int StreamWindow::RandomFrames(int64_t count) {
  const int64_t starts = frames_.count() - count + 1;
  for (int tries = 0; tries <= kTries || count == 1; ++tries) {
    random_ = session::HashMix(random_, 1);
    const int first = static_cast<int>(random_ % starts);
    if (MayLeave(first, count, tries)) return first;
  }
  return WindowFrames::kNone;
}

// Returns whether the pieces in these frames may leave: all but the one that is
// served. Before the last try, what is coming in stays, since it is needed
// soon, and what was changed or is being written stays for now. At the first
// try the latter begins to be written: as much as comes in, and nobody waits
// for it.
bool StreamWindow::MayLeave(int first, int64_t count, int tries) {
  for (int i = first; i < first + count; ++i) {
    Piece* piece = frames_.At(i);
    if (piece == nullptr) continue;
    if (piece->number == serving_) return false;
    if (tries > kTries) continue;
    if (piece->dirty && tries == 0) BeginWrite(*piece);
    if (!IsIdle(*piece)) return false;
  }
  return true;
}

// Returns whether the piece can be dropped at once: it is clean, and neither
// coming in, since it is needed soon, nor being written.
bool StreamWindow::IsIdle(const Piece& piece) {
  if (!piece.mapped || piece.dirty) return false;
  return !piece.request.begun || requests_.Done(piece.request);
}

}  // namespace stowage::runtime
