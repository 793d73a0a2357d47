#include "client_sdk/runtime/moves/stream_window.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "client_sdk/runtime/process/mapping_time.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kShare = 400;  // of the limit, the part set aside
constexpr int64_t kLeastBytes = 256 << 10;
constexpr int64_t kMostBytes = 64 << 20;
// Small chunks waste little where faults form no streams; so many of them keep
// the threads of a kernel from taking them from each other. A matrix product
// that goes down a column of thousands of rows needs one of each.
constexpr int64_t kPreferredFrames = 256;
constexpr int64_t kSmallChunkBytes = 16 << 10;
constexpr int64_t kMostChunkBytes = 1 << 20;
// A kernel that reads a block so many times in small pieces has more rows than
// the window holds in them. The smallest pieces hold more.
constexpr int64_t kManyTimes = 4;
constexpr int64_t kMostBatchBytes = 4 << 20;
// With fewer frames a stream would take what others are using.
constexpr int kLeastFramesAhead = 8;
// So many pieces at most count for or against opening them at once.
constexpr int32_t kMostReadFirst = 8;
// A thread goes from row to row after so many steps over as many rows, and then
// so many are read ahead.
constexpr int kLeastSteps = 3;
constexpr int64_t kMostRowsAhead = 64;

}  // namespace

int64_t StreamWindow::BytesFor(int64_t limit_bytes) {
  return RoundUpToPage(
      std::clamp(limit_bytes / kShare, kLeastBytes, kMostBytes));
}

StreamWindow::StreamWindow(const std::vector<MappedTier>* tiers)
    : tiers_(tiers) {}

int64_t StreamWindow::LeastChunkBytes() const {
  const int64_t least_bytes =
      std::clamp(size_bytes_ / kPreferredFrames / session::kPageBytes *
                     session::kPageBytes,
                 session::kPageBytes, kSmallChunkBytes);
  const int64_t units = size_bytes_ / least_bytes / WindowFrames::kMost;
  return (units + 1) * least_bytes;
}

int64_t StreamWindow::SmallChunkBytes() const {
  return std::max(kSmallChunkBytes, LeastChunkBytes());
}

int64_t StreamWindow::PageChunkBytes() const {
  const int64_t units = size_bytes_ / session::kPageBytes / WindowFrames::kMost;
  return (units + 1) * session::kPageBytes;
}

void StreamWindow::Expect(uint64_t shape) {
  NotePages();
  shape_ = shape;
  pages_ = KnownPages();
}

void StreamWindow::NotePages() {
  if (pages_ == Pages::kUntried) return;
  PageTrials& trials = page_trials_[shape_];
  if (pages_ == Pages::kFail) {
    trials.failed_bytes = std::max(trials.failed_bytes, size_bytes_);
  } else {
    trials.helped_bytes = std::min(trials.helped_bytes, size_bytes_);
  }
}

// Returns what is known of a window of this size: a larger one may hold all rows.
StreamWindow::Pages StreamWindow::KnownPages() const {
  const auto trials = page_trials_.find(shape_);
  if (trials == page_trials_.end()) return Pages::kUntried;
  if (size_bytes_ <= trials->second.failed_bytes) return Pages::kFail;
  return size_bytes_ >= trials->second.helped_bytes ? Pages::kHelp
                                                    : Pages::kUntried;
}

int StreamWindow::Use(int64_t offset_bytes, int64_t bytes) {
  if (int error = Flush(nullptr, /*keep=*/true)) return error;
  NotePages();
  offset_bytes_ = offset_bytes;
  size_bytes_ = bytes;
  pages_ = KnownPages();
  left_.resize(WindowFrames::kMost);
  // A fault that divides the window again must not allocate.
  frames_.Begin(static_cast<int>(bytes / PageChunkBytes()));
  if (pages_ == Pages::kHelp) return Divide(PageChunkBytes());
  return Divide(std::max(
      SmallChunkBytes(),
      std::min(RoundUpToPage(bytes / kPreferredFrames), kMostChunkBytes)));
}

// Empties the window and divides it into frames of this size.
int StreamWindow::Divide(int64_t chunk_bytes) {
  if (int error = Flush(nullptr, /*keep=*/true)) return error;
  chunk_bytes_ = chunk_bytes;
  frames_.Begin(static_cast<int>(size_bytes_ / chunk_bytes_));
  streams_.Begin(frames_.count(), kMostBatchBytes / chunk_bytes_);
  walks_ = {};
  scattered_ = {};
  left_begin_ = left_end_ = 0;
  passed_ = {};
  return 0;
}

// Divides the window anew where the pieces hold too much beside what the kernel
// needs of the block. If even single pages leave before they are used up, they
// only come with more faults than larger pieces.
int StreamWindow::FitPieces(const Block& block) {
  const int64_t scattered_bytes = scattered_.BytesOf(block.id);
  if (!HasSmallPieces()) {
    return scattered_bytes > block.room_bytes() ? Divide(SmallChunkBytes()) : 0;
  }
  if (scattered_bytes <= kManyTimes * block.room_bytes()) return 0;
  if (pages_ == Pages::kUntried) {
    pages_ = Pages::kHelp;
    return Divide(PageChunkBytes());
  }
  pages_ = Pages::kFail;
  return chunk_bytes_ != LeastChunkBytes() ? Divide(LeastChunkBytes()) : 0;
}

int StreamWindow::Fault(Block* block, const char* address, Access access,
                        bool again) {
  const int64_t offset_bytes =
      address - (*tiers_)[block->place.tier].base - block->place.offset_bytes;
  if (again) {
    Piece* piece = frames_.Find(block->id, offset_bytes / chunk_bytes_);
    if (piece != nullptr) return Map(*piece, access);
  }
  if (int error = FitPieces(*block)) return error;
  FaultStreams::Stream& stream =
      streams_.Note(block->id, offset_bytes / chunk_bytes_);
  const int64_t before_bytes = read_bytes_;
  const int error = Serve(block, offset_bytes, stream, access);
  // A sweep up comes to the beginning of a piece, one down to the end. It may do
  // so in rows, each of which is shorter than the smallest pieces: they would
  // hold the same.
  const bool sweeps =
      stream.direction < 0 ||
      (stream.moved_on && offset_bytes % chunk_bytes_ < LeastChunkBytes());
  if (!sweeps) scattered_.Note(block->id, read_bytes_ - before_bytes);
  return error;
}

int StreamWindow::Serve(Block* block, int64_t offset_bytes,
                        FaultStreams::Stream& stream, Access access) {
  const int64_t chunk = offset_bytes / chunk_bytes_;
  const bool in_rows = HasSmallPieces() &&
                       (stream.direction == 0 || streams_.PiecesAhead() == 0);
  Piece* piece = frames_.Find(block->id, chunk);
  serving_ = piece == nullptr ? 0 : piece->number;
  if (in_rows) {
    if (int error = LeaveRow(*block, chunk)) return error;
  }
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
  if (in_rows) {
    if (int error = ReadRowsAhead(block, offset_bytes)) return error;
  } else if (stream.moved_on) {
    if (int error = WriteBehind(*block, stream)) return error;
    if (int error = ReadAhead(block, stream)) return error;
    stream.next = NextFault(*block, stream);
  }
  requests_.Submit();
  return Map(*piece, access);
}

// Maps the piece once it is there. If it is mapped, another thread was faster,
// or this is the first write. Where what was read has been written next, a piece
// is opened for both at once: a product that adds to its output need not fault
// twice. Scratch that is written once and read often stays clean.
int StreamWindow::Map(Piece& piece, Access access) {
  int32_t& read_first = piece.block->read_first;
  const bool write = access == Access::kWrite || read_first > 0 ||
                     (access == Access::kUnknown && piece.mapped);
  if (piece.mapped && (!write || piece.writable)) return 0;
  if (piece.request.begun && !requests_.Done(piece.request)) {
    awaited_ = piece.request.ticket;
    return EINPROGRESS;
  }
  if (int error = FinishRequest(piece)) return error;
  if (!write) read_first = std::max(read_first - 1, -kMostReadFirst);
  if (piece.only_read) read_first = std::min(read_first + 2, kMostReadFirst);
  const int protection = write ? PROT_READ | PROT_WRITE : PROT_READ;
  const MappingTime time;
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
  piece.only_read = !write;
  return 0;
}

// Returns the part of `wanted` around chunk `kept` that no piece has and that
// is within the block.
ChunkRange StreamWindow::Absent(const Block& block, ChunkRange wanted,
                                int64_t kept) {
  const int64_t chunks = (block.room_bytes() + chunk_bytes_ - 1) / chunk_bytes_;
  wanted.begin = std::max<int64_t>(wanted.begin, 0);
  wanted.end = std::min(wanted.end, chunks);
  const auto absent = [&](int64_t chunk) {
    return frames_.Find(block.id, chunk) == nullptr;
  };
  if (!wanted.Contains(kept)) return {};
  ChunkRange around{kept, kept};
  while (around.begin > wanted.begin && absent(around.begin - 1)) {
    --around.begin;
  }
  while (around.end < wanted.end && absent(around.end)) ++around.end;
  return around;
}

// Prepares to read the chunks, unless nothing has been written to them.
int StreamWindow::Bring(Block* block, ChunkRange chunks,
                        FaultStreams::Stream& stream, Piece** piece) {
  int first = WindowFrames::kNone;
  if (int error = TakeFrames(stream, &chunks, &first)) return error;
  Piece& brought = frames_.Put(first, block, chunks);
  brought.begin_bytes = chunks.begin * chunk_bytes_;
  const int64_t end_bytes =
      std::min(chunks.end * chunk_bytes_, block->room_bytes());
  brought.size_bytes = end_bytes - brought.begin_bytes;
  stream.pieces[stream.oldest] = brought.number;
  stream.oldest = (stream.oldest + 1) % stream.pieces.size();
  *piece = &brought;
  if (!block->written.Any(brought.begin_bytes, end_bytes)) return 0;
  read_bytes_ += brought.size_bytes;
  requests_.Prepare(FileRequest::kRead, TierOf(brought),
                    block->place.offset_bytes + brought.begin_bytes,
                    (*tiers_)[session::kFastTier].base + FrameOffset(brought),
                    brought.size_bytes, &brought.request);
  return 0;
}

// Prepares to read what the stream needs after the piece where it is: a kernel
// is through with that before the next has come.
int StreamWindow::ReadAhead(Block* block, FaultStreams::Stream& stream) {
  if (frames_.count() < kLeastFramesAhead) return 0;
  const bool up = stream.direction > 0;
  int64_t next = up ? stream.at.end : stream.at.begin - 1;
  int coming = 0;
  while (true) {
    while (const Piece* there = frames_.Find(block->id, next)) {
      if (!there->mapped && there->request.begun) ++coming;
      next = up ? there->chunks.end : there->chunks.begin - 1;
    }
    if (coming >= streams_.PiecesAhead()) return 0;
    const ChunkRange ahead =
        Absent(*block,
               up ? ChunkRange{next, next + stream.batch}
                  : ChunkRange{next + 1 - stream.batch, next + 1},
               next);
    if (ahead.empty() || !block->written.Any(ahead.begin * chunk_bytes_,
                                             ahead.end * chunk_bytes_)) {
      return 0;
    }
    Piece* piece = nullptr;
    if (int error = Bring(block, ahead, stream, &piece)) return error;
  }
}

// Returns the chunk where the stream raises its next fault.
int64_t StreamWindow::NextFault(const Block& block,
                                const FaultStreams::Stream& stream) {
  const bool up = stream.direction > 0;
  int64_t next = up ? stream.at.end : stream.at.begin - 1;
  const Piece* there = nullptr;
  while ((there = frames_.Find(block.id, next)) != nullptr && there->mapped) {
    next = up ? there->chunks.end : there->chunks.begin - 1;
  }
  return next;
}

// Prepares to read the next rows, many at a time, if the thread goes from row to
// row. Takes free frames alone: what the rows have there may still be needed.
int StreamWindow::ReadRowsAhead(Block* block, int64_t offset_bytes) {
  const FaultWalks::Walk& walk = walks_.Note(gettid(), block->id, offset_bytes);
  if (walk.steps < kLeastSteps || walk.row_bytes < chunk_bytes_) return 0;
  const auto chunk_of = [&](int64_t row) {
    return (offset_bytes + row * walk.row_bytes) / chunk_bytes_;
  };
  const int64_t rows = std::min<int64_t>(
      {kMostRowsAhead, frames_.count() / 8,
       (block->room_bytes() - 1 - offset_bytes) / walk.row_bytes});
  if (frames_.Find(block->id, chunk_of((rows + 1) / 2)) != nullptr) return 0;
  for (int64_t row = 1; row <= rows; ++row) {
    const int64_t chunk = chunk_of(row);
    const int64_t begin_bytes = chunk * chunk_bytes_;
    if (frames_.Find(block->id, chunk) != nullptr) continue;
    if (!block->written.Any(begin_bytes, begin_bytes + chunk_bytes_)) continue;
    if (frames_.free_count() == 0) break;
    FaultStreams::Stream no_stream;
    Piece* piece = nullptr;
    if (int error = Bring(block, {chunk, chunk + 1}, no_stream, &piece)) {
      return error;
    }
  }
  return 0;
}

// Lets what its row has left before the chunk leave, or any piece if the row is
// a new one, so that frames are free for what is read ahead. What was changed is
// written a few rows later: the kernel may still be at the end of it.
int StreamWindow::LeaveRow(const Block& block, int64_t chunk) {
  const Piece* before = frames_.Find(block.id, chunk - 1);
  if (before != nullptr && before->chunks.Contains(chunk)) return 0;
  if (before != nullptr) {
    left_[left_end_++ % left_.size()] = before->number;
    left_begin_ = std::max<int64_t>(left_begin_, left_end_ - left_.size());
    const int64_t written = left_end_ - 1 - LeastFree();
    Piece* piece = written < left_begin_ ? nullptr : LeftPiece(written);
    if (piece != nullptr && piece->dirty) {
      if (int error = BeginWrite(*piece)) return error;
    }
  }
  while (frames_.free_count() < LeastFree() && left_begin_ < left_end_) {
    Piece* piece = LeftPiece(left_begin_);
    if (piece != nullptr && !piece->dirty && piece->number != serving_) {
      if (!IsIdle(*piece)) return 0;
      if (int error = Evict(*piece, /*keep=*/true)) return error;
    }
    ++left_begin_;
  }
  if (before != nullptr || frames_.free_count() >= LeastFree()) return 0;
  Piece* any = frames_.At(RandomFrames(1));
  if (any == nullptr || any->chunks.Contains(chunk)) return 0;
  if (any->dirty) return BeginWrite(*any);
  return IsIdle(*any) ? Evict(*any, /*keep=*/true) : 0;
}

// Begins to write what a stream has passed, if it was changed and came with the
// stream, which is going to take its room. What was there before stays for the
// next sweep, and would be closed to it for nothing.
int StreamWindow::WriteBehind(const Block& block,
                              const FaultStreams::Stream& stream) {
  Piece* piece = frames_.Find(block.id, stream.passed.begin);
  if (piece == nullptr) return 0;
  const bool came =
      std::count(stream.pieces.begin(), stream.pieces.end(), piece->number) > 0;
  if (!came) return 0;
  passed_[passed_end_++ % passed_.size()] = piece->number;
  if (!piece->dirty) return 0;
  return BeginWrite(*piece);
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
  int error = frames_.ForEach([&](Piece& piece) {
    return keep && piece.dirty && of_block(piece) ? BeginWrite(piece) : 0;
  });
  if (error != 0) return error;
  return frames_.ForEach(
      [&](Piece& piece) { return of_block(piece) ? Evict(piece, keep) : 0; });
}

int StreamWindow::BeginWrite(Piece& piece) {
  if (int error = CloseToWriters(piece)) return error;
  piece.writable = piece.dirty = false;
  piece.block->written.Mark(piece.begin_bytes,
                            piece.begin_bytes + piece.size_bytes);
  written_bytes_ += piece.size_bytes;
  requests_.Prepare(FileRequest::kWrite, TierOf(piece),
                    piece.block->place.offset_bytes + piece.begin_bytes,
                    (*tiers_)[session::kFastTier].base + FrameOffset(piece),
                    piece.size_bytes, &piece.request);
  return 0;
}

// Maps nothing where the piece was.
int StreamWindow::Unmap(const Piece& piece) {
  const MappingTime time;
  const void* mapped =
      mmap(AddressOf(piece), piece.size_bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return mapped == MAP_FAILED ? errno : 0;
}

// Lets nobody write the piece: writers fault and wait, and readers go on.
int StreamWindow::CloseToWriters(const Piece& piece) {
  const MappingTime time;
  return mprotect(AddressOf(piece), piece.size_bytes, PROT_READ) == 0 ? 0
                                                                      : errno;
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
  if (piece.mapped) {
    if (int unmap_error = Unmap(piece)) return unmap_error;
  }
  frames_.Remove(piece);
  return 0;
}

int64_t StreamWindow::TakeReadBytes() { return std::exchange(read_bytes_, 0); }

int64_t StreamWindow::TakeWrittenBytes() {
  return std::exchange(written_bytes_, 0);
}

}  // namespace stowage::runtime
