// Lets a kernel use operands that do not fit into fast memory in place, in a
// file tier: a fault on one of their addresses reads a piece of the file into a
// small window of the fast arena and maps it there; other pieces make room. Raw
// accesses to an evicted tensor (`tolist()`, `torch.save`) work the same way.
//
//   StreamWindow window(&tiers);
//   window.Use(/*offset_bytes=*/0, StreamWindow::BytesFor(limit_bytes));
//   int error = window.Fault(block, address, access, /*again=*/false);
//   error = window.Release(*block);  // before it moves or dies
//
// Kernels sweep over their operands, so faults form streams (fault_streams.h).
// When a stream moves on from a piece to the next one, which was read ahead, the
// two after that begin to come in, and the one that it left, if it came with the
// stream and was written, begins to go out. So the file is read and written
// while the kernel runs, and a fault brings in more at a time the longer its
// stream is.
//
// A stream takes the room of what it passed, as soon as there is no free room:
// a sweep over an operand that does not fit keeps what it had brought in before
// for the next sweep. Otherwise a piece takes the room of what any stream passed
// long before, or any room.
//
// Matrix products go down the columns of thousands of rows. Large pieces hold
// rows that are not needed yet, and have left when they are: then more is read of
// an operand than it has (scattered_reads.h). From there until the next Use()
// pieces are small, so that each row has one. If far more is read even so, they
// are single pages, unless more is read of these, too: batch normalisation goes
// through a channel of each image. Which is better is known the next time that the
// kernel runs. When a row goes on to the next one, the piece is written, and leaves as soon as
// there is little free room. Rows are read ahead in the steps that threads make
// (fault_walks.h).
//
// What nothing has been written to is not read (WrittenParts).
//
// Allocates in Expect() and Use() alone; the rest is safe in a handler of a
// synchronous fault.
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STREAM_WINDOW_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STREAM_WINDOW_H_

#include <array>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/file_requests.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/fault_streams.h"
#include "client_sdk/runtime/moves/fault_walks.h"
#include "client_sdk/runtime/moves/scattered_reads.h"
#include "client_sdk/runtime/moves/window_frames.h"

namespace stowage::runtime {

// What an instruction that faulted was doing.
enum class Access { kRead, kWrite, kUnknown };

class StreamWindow {
 public:
  // Returns the bytes that are set aside for a window under this limit on fast
  // memory: a 400th of it, at least 256 KiB and at most 64 MiB.
  static int64_t BytesFor(int64_t limit_bytes);

  explicit StreamWindow(const std::vector<MappedTier>* tiers);

  // Makes this part of the fast arena the window. Unmaps every piece first;
  // returns 0 or an errno. With 0 bytes no fault may come.
  int Use(int64_t offset_bytes, int64_t bytes);

  // Notes that a kernel of this shape is about to stream. What is learned of its
  // pieces is for those of the same shape that come later. Call it before Use().
  void Expect(uint64_t shape);

  // Makes the page at `address`, within `block`, readable, and writable if it
  // is to be written. Returns 0 or an errno. EINPROGRESS: the page is being read
  // or written; let requests() await the transfer awaited(), without the mutex,
  // so that others are served, and call this `again` for the same fault.
  int Fault(Block* block, const char* address, Access access, bool again);
  TransferTicket awaited() const { return awaited_; }
  FileRequests* requests() { return &requests_; }

  // Writes back what was changed and unmaps the block's pieces. Without `keep`
  // it drops what was changed, because the block is about to be freed. Returns
  // 0 or an errno.
  int Release(const Block& block, bool keep = true);

  int64_t size_bytes() const { return size_bytes_; }
  // Returns the bytes read since they were taken.
  int64_t read_bytes() const { return read_bytes_; }
  // Returns the bytes read and written since the last call.
  int64_t TakeReadBytes();
  int64_t TakeWrittenBytes();

 private:
  using Piece = StreamPiece;
  // Whether a kernel reads less in pieces of one page.
  enum class Pages { kUntried, kHelp, kFail };
  // The largest window in which pages failed, and the smallest in which they
  // helped.
  struct PageTrials {
    int64_t failed_bytes = 0;
    int64_t helped_bytes = std::numeric_limits<int64_t>::max();
  };

  // Returns the size of small pieces, which serve a kernel that goes from row to
  // row.
  int64_t SmallChunkBytes() const;
  // Returns the size of the smallest pieces that pay whatever a kernel does. In a
  // small window they are smaller than small ones, so that it holds more rows.
  int64_t LeastChunkBytes() const;
  // Returns the size of pieces of one page, or of as many as frames allow.
  int64_t PageChunkBytes() const;
  void NotePages();
  Pages KnownPages() const;
  int FitPieces(const Block& block);
  bool HasSmallPieces() const { return chunk_bytes_ <= SmallChunkBytes(); }
  int Divide(int64_t chunk_bytes);
  int Serve(Block* block, int64_t offset_bytes, FaultStreams::Stream& stream,
            Access access);
  ChunkRange Absent(const Block& block, ChunkRange wanted, int64_t kept);
  int Bring(Block* block, ChunkRange chunks, FaultStreams::Stream& stream,
            Piece** piece);
  int ReadAhead(Block* block, FaultStreams::Stream& stream);
  int64_t NextFault(const Block& block, const FaultStreams::Stream& stream);
  int ReadRowsAhead(Block* block, int64_t offset_bytes);
  int LeaveRow(const Block& block, int64_t chunk);
  Piece* LeftPiece(int64_t left) {
    return frames_.FindNumber(left_[left % left_.size()]);
  }
  int LeftFrame();
  // Rows that go on keep so many frames free for what is read ahead.
  int LeastFree() const { return frames_.count() / 16; }
  int WriteBehind(const Block& block, const FaultStreams::Stream& stream);
  int Map(Piece& piece, Access access);

  int TakeFrames(const FaultStreams::Stream& stream, ChunkRange* chunks,
                 int* first);
  int LongPassedFrame();
  int PassedFrames(const FaultStreams::Stream& stream, int64_t count);
  int RandomFrames(int64_t count);
  bool MayLeave(int first, int64_t count, int tries);
  bool IsIdle(const Piece& piece);

  int Unmap(const Piece& piece);
  int CloseToWriters(const Piece& piece);
  int BeginWrite(Piece& piece);
  int FinishRequest(Piece& piece);
  int Flush(const Block* block, bool keep);
  int Evict(Piece& piece, bool keep);

  const MappedTier& TierOf(const Piece& piece) const {
    return (*tiers_)[piece.block->place.tier];
  }
  char* AddressOf(const Piece& piece) const {
    return TierOf(piece).base + piece.block->place.offset_bytes +
           piece.begin_bytes;
  }
  int64_t FrameOffset(const Piece& piece) const {
    return offset_bytes_ + frames_.FirstOf(piece) * chunk_bytes_;
  }

  const std::vector<MappedTier>* tiers_;
  int64_t offset_bytes_ = 0;
  int64_t size_bytes_ = 0;
  int64_t chunk_bytes_ = 0;
  uint64_t shape_ = 0;  // of the kernel
  Pages pages_ = Pages::kUntried;
  std::unordered_map<uint64_t, PageTrials> page_trials_;  // by shape
  uint64_t random_ = 1;
  uint64_t serving_ = 0;  // the piece that a fault waits for: it stays
  TransferTicket awaited_;
  int64_t read_bytes_ = 0;
  int64_t written_bytes_ = 0;
  FaultStreams streams_;
  FaultWalks walks_;
  ScatteredReads scattered_;
  // Numbers of the pieces that rows have left, the first at `left_begin_`.
  std::vector<uint64_t> left_;
  int64_t left_begin_ = 0;
  int64_t left_end_ = 0;
  // Numbers of the pieces that streams have passed last, the oldest at
  // `passed_end_`, modulo their count.
  std::array<uint64_t, FaultStreams::kStreams> passed_{};
  uint64_t passed_end_ = 0;
  WindowFrames frames_;
  FileRequests requests_;  // ends before the pieces that it transfers
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_STREAM_WINDOW_H_
