#include "client_sdk/runtime/stream_window.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kShare = 400;  // of the limit, the part set aside
constexpr int64_t kLeastBytes = 256 << 10;
constexpr int64_t kMostBytes = 64 << 20;
// Small chunks waste little where faults form no streams; many of them keep the
// threads of a kernel from taking them from each other.
constexpr int64_t kPreferredFrames = 256;
constexpr int64_t kLeastChunkBytes = 16 << 10;
constexpr int64_t kMostChunkBytes = 1 << 20;
constexpr int64_t kMostBatchBytes = 4 << 20;
// With fewer frames a stream would take what others are using.
constexpr int kLeastFramesAhead = 8;
// So many random frames are looked at before one is waited for.
constexpr int kTries = 8;

}  // namespace

int64_t StreamWindow::BytesFor(int64_t limit_bytes) {
  return RoundUpToPage(
      std::clamp(limit_bytes / kShare, kLeastBytes, kMostBytes));
}

StreamWindow::StreamWindow(const std::vector<MappedTier>* tiers)
    : tiers_(tiers) {
  frames_.fill(kNone);
}

template <typename Action>
int StreamWindow::ForEach(Action action) {
  for (int i = 0; i < frame_count_; ++i) {
    if (frames_[i] != i) continue;
    if (int error = action(pieces_[i])) return error;
  }
  return 0;
}

int StreamWindow::Use(int64_t offset_bytes, int64_t bytes) {
  if (int error = Flush(nullptr, /*keep=*/true)) return error;
  offset_bytes_ = offset_bytes;
  chunk_bytes_ = std::clamp(RoundUpToPage(bytes / kPreferredFrames),
                            kLeastChunkBytes, kMostChunkBytes);
  frame_count_ = std::min<int64_t>(bytes / chunk_bytes_, kMaxFrames);
  streams_.Begin(frame_count_, kMostBatchBytes / chunk_bytes_);
  return 0;
}

int StreamWindow::Fault(Block* block, const char* address, Access access) {
  const char* begin =
      (*tiers_)[block->place.tier].base + block->place.offset_bytes;
  const int64_t chunk = (address - begin) / chunk_bytes_;
  FaultStreams::Stream& stream = streams_.Note(block->id, chunk);
  serving_ = 0;
  Piece* piece = Find(*block, chunk);
  if (piece == nullptr) {
    const int64_t batch = stream.moved_on ? stream.batch : 1;
    const ChunkRange wanted = stream.direction < 0
                                  ? ChunkRange{chunk + 1 - batch, chunk + 1}
                                  : ChunkRange{chunk, chunk + batch};
    if (int error =
            Bring(block, Absent(*block, wanted, chunk), stream, &piece)) {
      return error;
    }
  }
  stream.at = piece->chunks;
  serving_ = piece->number;
  if (stream.moved_on) {
    if (int error = WriteBehind(*block, stream.passed)) return error;
    if (int error = ReadAhead(block, stream)) return error;
  }
  return Map(*piece, access);
}

// Maps the piece. If it is mapped, another thread was faster, or this is the
// first write.
int StreamWindow::Map(Piece& piece, Access access) {
  const bool write =
      access == Access::kWrite || (access == Access::kUnknown && piece.mapped);
  if (piece.mapped && (!write || piece.writable)) return 0;
  if (int error = FinishRequest(piece)) return error;
  const int protection = write ? PROT_READ | PROT_WRITE : PROT_READ;
  if (piece.mapped) {
    if (mprotect(AddressOf(piece), piece.size_bytes, protection) != 0) {
      return errno;
    }
  } else if (mmap(AddressOf(piece), piece.size_bytes, protection,
                  MAP_SHARED | MAP_FIXED | MAP_POPULATE,
                  (*tiers_)[session::kFastTier].fd,
                  FrameOffset(piece)) == MAP_FAILED) {
    return errno;
  }
  piece.mapped = true;
  piece.writable = piece.dirty = write;
  return 0;
}

// Returns the part of `wanted` around chunk `kept` that no piece has and that
// is within the block.
ChunkRange StreamWindow::Absent(const Block& block, ChunkRange wanted,
                                int64_t kept) {
  const int64_t chunks = (block.room_bytes() + chunk_bytes_ - 1) / chunk_bytes_;
  wanted.begin = std::max<int64_t>(wanted.begin, 0);
  wanted.end = std::min(wanted.end, chunks);
  ForEach([&](const Piece& piece) {
    if (piece.block->id != block.id) return 0;
    if (piece.chunks.end <= kept) {
      wanted.begin = std::max(wanted.begin, piece.chunks.end);
    } else {
      wanted.end = std::min(wanted.end, piece.chunks.begin);
    }
    return 0;
  });
  return wanted;
}

// Begins to read the chunks, unless nothing has been written to them.
int StreamWindow::Bring(Block* block, ChunkRange chunks,
                        FaultStreams::Stream& stream, Piece** piece) {
  int first = kNone;
  if (int error = TakeFrames(chunks.end - chunks.begin, stream, &first)) {
    return error;
  }
  std::fill_n(frames_.begin() + first, chunks.end - chunks.begin, first);
  Piece& brought = pieces_[first];
  brought.number = ++last_number_;
  brought.block = block;
  brought.chunks = chunks;
  brought.begin_bytes = chunks.begin * chunk_bytes_;
  const int64_t end_bytes =
      std::min(chunks.end * chunk_bytes_, block->room_bytes());
  brought.size_bytes = end_bytes - brought.begin_bytes;
  stream.pieces[stream.oldest] = brought.number;
  stream.oldest = (stream.oldest + 1) % stream.pieces.size();
  *piece = &brought;
  if (!block->written.Any(brought.begin_bytes, end_bytes)) return 0;
  read_bytes_ += brought.size_bytes;
  requests_.Begin(FileRequest::kRead, TierOf(brought),
                  block->place.offset_bytes + brought.begin_bytes,
                  (*tiers_)[session::kFastTier].base + FrameOffset(brought),
                  brought.size_bytes, &brought.request);
  return 0;
}

// Begins to read what the stream needs after the piece where it is.
int StreamWindow::ReadAhead(Block* block, FaultStreams::Stream& stream) {
  if (frame_count_ < kLeastFramesAhead) return 0;
  const bool up = stream.direction > 0;
  int64_t next = up ? stream.at.end : stream.at.begin - 1;
  while (const Piece* there = Find(*block, next)) {
    next = up ? there->chunks.end : there->chunks.begin - 1;
  }
  const ChunkRange ahead =
      Absent(*block,
             up ? ChunkRange{next, next + stream.batch}
                : ChunkRange{next + 1 - stream.batch, next + 1},
             next);
  if (ahead.empty() || !block->written.Any(ahead.begin * chunk_bytes_,
                                           ahead.end * chunk_bytes_)) {
    return 0;
  }
  stream.ahead = ahead;
  Piece* piece = nullptr;
  return Bring(block, ahead, stream, &piece);
}

// Begins to write what a stream has passed, if it was changed.
int StreamWindow::WriteBehind(const Block& block, ChunkRange passed) {
  Piece* piece = Find(block, passed.begin);
  return piece != nullptr && piece->dirty ? BeginWrite(*piece) : 0;
}

// Finds frames side by side: free ones, those of what the stream passed, or
// any.
int StreamWindow::TakeFrames(int64_t count, const FaultStreams::Stream& stream,
                             int* first) {
  *first = FreeFrames(count);
  if (*first != kNone) return 0;
  Piece* passed = FindNumber(stream.pieces[stream.oldest]);
  if (passed != nullptr && passed->number != serving_ &&
      passed->frames() >= count) {
    *first = static_cast<int>(passed - pieces_.data());
    return Evict(*passed, /*keep=*/true);
  }
  *first = RandomFrames(count);
  for (int i = *first; i < *first + count; ++i) {
    if (frames_[i] == kNone) continue;
    if (int error = Evict(pieces_[frames_[i]], /*keep=*/true)) return error;
  }
  return 0;
}

int StreamWindow::FreeFrames(int64_t count) const {
  int64_t free = 0;
  for (int i = 0; i < frame_count_; ++i) {
    free = frames_[i] == kNone ? free + 1 : 0;
    if (free == count) return static_cast<int>(i + 1 - count);
  }
  return kNone;
}

// Chooses at random. Kernels sweep over their operands again and again, and of
// a sweep that does not fit the oldest chunk is the next one needed: any is
// better.
int StreamWindow::RandomFrames(int64_t count) {
  const int64_t starts = frame_count_ - count + 1;
  for (int tries = 0;; ++tries) {
    random_ = session::HashMix(random_, 1);
    const int first = static_cast<int>(random_ % starts);
    if (MayLeave(first, count, tries)) return first;
  }
}

// Returns whether the pieces in these frames may leave: all but the one that is
// served. Before the last try, what is coming in stays, since it is needed
// soon, and what was changed or is being written stays for now. At the first
// try the latter begins to be written: as much as comes in, and nobody waits
// for it.
bool StreamWindow::MayLeave(int first, int64_t count, int tries) {
  for (int i = first; i < first + count; ++i) {
    if (frames_[i] == kNone) continue;
    Piece& piece = pieces_[frames_[i]];
    if (piece.number == serving_) return false;
    if (tries >= kTries) continue;
    if (piece.dirty && tries == 0) BeginWrite(piece);
    if (!piece.mapped || piece.dirty) return false;
    if (piece.request.begun && !requests_.Done(piece.request)) return false;
  }
  return true;
}

StreamWindow::Piece* StreamWindow::Find(const Block& block, int64_t chunk) {
  Piece* found = nullptr;
  ForEach([&](Piece& piece) {
    if (piece.block->id == block.id && piece.chunks.Contains(chunk)) {
      found = &piece;
    }
    return 0;
  });
  return found;
}

StreamWindow::Piece* StreamWindow::FindNumber(uint64_t number) {
  Piece* found = nullptr;
  ForEach([&](Piece& piece) {
    if (piece.number == number) found = &piece;
    return 0;
  });
  return found;
}

int StreamWindow::Release(const Block& block, bool keep) {
  return Flush(&block, keep);
}

// Unmaps the pieces of the block, or all. Those that were changed go out at the
// same time.
int StreamWindow::Flush(const Block* block, bool keep) {
  const auto of_block = [block](const Piece& piece) {
    return block == nullptr || piece.block->id == block->id;
  };
  int error = ForEach([&](Piece& piece) {
    return keep && piece.dirty && of_block(piece) ? BeginWrite(piece) : 0;
  });
  if (error != 0) return error;
  return ForEach(
      [&](Piece& piece) { return of_block(piece) ? Evict(piece, keep) : 0; });
}

int StreamWindow::BeginWrite(Piece& piece) {
  // Writers fault and wait from here on; readers go on.
  if (mprotect(AddressOf(piece), piece.size_bytes, PROT_READ) != 0) {
    return errno;
  }
  piece.writable = piece.dirty = false;
  piece.block->written.Mark(piece.begin_bytes,
                            piece.begin_bytes + piece.size_bytes);
  written_bytes_ += piece.size_bytes;
  requests_.Begin(FileRequest::kWrite, TierOf(piece),
                  piece.block->place.offset_bytes + piece.begin_bytes,
                  (*tiers_)[session::kFastTier].base + FrameOffset(piece),
                  piece.size_bytes, &piece.request);
  return 0;
}

// Waits for the piece's request. What could not be written is still to be.
int StreamWindow::FinishRequest(Piece& piece) {
  if (!piece.request.begun) return 0;
  const int error = requests_.Finish(&piece.request);
  if (piece.request.direction == FileRequest::kWrite) piece.dirty = error != 0;
  return error;
}

int StreamWindow::Evict(Piece& piece, bool keep) {
  const bool was_coming = !piece.mapped;
  int error = FinishRequest(piece);
  if (error == 0 && piece.dirty && keep) {
    error = BeginWrite(piece);
    if (error == 0) error = FinishRequest(piece);
  }
  if (error != 0 && keep && !was_coming) return error;
  if (piece.mapped &&
      mmap(AddressOf(piece), piece.size_bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    return errno;
  }
  const auto first = static_cast<int>(&piece - pieces_.data());
  std::fill_n(frames_.begin() + first, piece.frames(), kNone);
  piece = {};
  return 0;
}

int64_t StreamWindow::TakeReadBytes() { return std::exchange(read_bytes_, 0); }

int64_t StreamWindow::TakeWrittenBytes() {
  return std::exchange(written_bytes_, 0);
}

}  // namespace stowage::runtime
