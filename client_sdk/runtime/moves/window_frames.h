// Knows which piece of which block each frame of a window holds.
//
//   WindowFrames frames;
//   frames.Begin(/*count=*/256);
//   StreamPiece* piece = frames.Find(block->id, chunk);
//   if (piece == nullptr) {
//     piece = &frames.Put(frames.FindFree(2), block, {chunk, chunk + 2});
//   }
//   frames.Remove(*piece);
//
// A window has thousands of frames, so that a kernel that walks down a column
// finds the rows that it has been to still there. So Find() looks its chunk up
// in buckets, whose chains go through the frames themselves.
//
// Allocates in Begin() alone: the rest is safe in a handler of a synchronous
// fault. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_WINDOW_FRAMES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_WINDOW_FRAMES_H_

#include <cstdint>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"
#include "client_sdk/runtime/blocks/file_requests.h"
#include "client_sdk/runtime/moves/fault_streams.h"

namespace stowage::runtime {

// Chunks of a block in as many frames, side by side.
struct StreamPiece {
  uint64_t number = 0;  // 0: none
  Block* block = nullptr;
  ChunkRange chunks;
  int64_t begin_bytes = 0;  // within the block
  int64_t size_bytes = 0;
  bool mapped = false;
  bool writable = false;
  bool dirty = false;
  bool only_read = false;  // since it was mapped
  FileRequest request;     // begun: it is coming in or going out

  int64_t frames() const { return chunks.size(); }
};

class WindowFrames {
 public:
  static constexpr int kMost = 16384;
  static constexpr int kNone = -1;

  // From here on there are so many frames, kMost at most. None holds a piece.
  void Begin(int count);
  int count() const { return static_cast<int>(frames_.size()); }

  // Return the piece that has the chunk, the frame, or the number; null if
  // none does.
  StreamPiece* Find(uint64_t block_id, int64_t chunk);
  StreamPiece* At(int frame);
  StreamPiece* FindNumber(uint64_t number);

  int free_count() const { return free_count_; }
  // Returns the first of `count` free frames side by side, or kNone.
  int FindFree(int64_t count) const;
  // Returns the first frame of a piece.
  int FirstOf(const StreamPiece& piece) const {
    return static_cast<int>(&piece - pieces_.data());
  }

  // Puts a new piece into free frames, `first` and those after it.
  StreamPiece& Put(int first, Block* block, ChunkRange chunks);
  // Frees the frames of the piece.
  void Remove(StreamPiece& piece);

  // Calls `action` for each piece until it returns an errno. The action may
  // remove the piece that it is called for.
  template <typename Action>
  int ForEach(Action action) {
    for (int i = 0; i < count();) {
      if (frames_[i].piece == kNone) {
        ++i;
        continue;
      }
      StreamPiece& piece = pieces_[i];
      i += piece.frames();
      if (int error = action(piece)) return error;
    }
    return 0;
  }

 private:
  struct Frame {
    int piece = kNone;  // its first frame
    int next = kNone;   // in the same bucket
  };

  int& BucketOf(uint64_t block_id, int64_t chunk);
  int64_t ChunkOf(int frame) const;

  uint64_t puts_ = 0;
  int free_count_ = 0;
  int least_free_ = 0;  // no frame below is free
  std::vector<Frame> frames_;
  std::vector<StreamPiece> pieces_;  // by first frame
  std::vector<int> buckets_;         // the first frame of each, or kNone
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_WINDOW_FRAMES_H_
