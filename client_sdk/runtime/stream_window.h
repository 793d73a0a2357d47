// Lets a kernel use operands that do not fit into fast memory in place, in a
// file tier: a fault on one of their addresses reads a chunk of the file into a
// small window of the fast arena and maps it there; another chunk makes room.
// Raw accesses to an evicted tensor (`tolist()`, `torch.save`) work the same
// way.
//
//   StreamWindow window(&tiers);
//   window.Use(/*offset_bytes=*/0, StreamWindow::BytesFor(limit_bytes));
//   int error = window.Fault(block, address);      // from the SIGSEGV handler
//   error = window.Release(block);                 // before it moves or dies
//
// Only system calls and fixed arrays: safe in a handler of a synchronous fault.
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STREAM_WINDOW_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STREAM_WINDOW_H_

#include <array>
#include <cstdint>
#include <vector>

#include "client_sdk/runtime/block.h"
#include "client_sdk/runtime/session_client.h"

namespace stowage::runtime {

class StreamWindow {
 public:
  // Returns the bytes that are set aside for a window under this limit on fast
  // memory: a 400th of it, at least 256 KiB and at most 64 MiB.
  static int64_t BytesFor(int64_t limit_bytes);

  explicit StreamWindow(const std::vector<MappedTier>* tiers) : tiers_(tiers) {}

  // Makes this part of the fast arena the window. Unmaps every chunk first;
  // returns 0 or an errno. With 0 bytes no fault may come.
  int Use(int64_t offset_bytes, int64_t bytes);

  // Makes the page at `address`, within `block`, readable, or writable if it
  // was readable already. Returns 0 or an errno.
  int Fault(const Block& block, const char* address);

  // Writes back what was changed and unmaps the block's chunks. Without `keep`
  // it drops what was changed, because the block is about to be freed.
  int Release(const Block& block, bool keep = true);

  // Returns the bytes read and written since the last call.
  int64_t TakeReadBytes();
  int64_t TakeWrittenBytes();

 private:
  static constexpr int kMaxFrames = 1024;

  struct Frame {
    char* address = nullptr;  // where the chunk is mapped; null: free
    int tier = 0;
    int64_t tier_offset_bytes = 0;
    int64_t size_bytes = 0;
    uint64_t block_id = 0;
    bool dirty = false;
  };

  int Evict(Frame& frame, bool keep);
  int64_t FrameOffset(const Frame& frame) const {
    return offset_bytes_ + (&frame - frames_.data()) * chunk_bytes_;
  }
  Frame& NextVictim();

  const std::vector<MappedTier>* tiers_;
  int64_t offset_bytes_ = 0;
  int64_t chunk_bytes_ = 0;
  int frame_count_ = 0;
  uint64_t random_ = 1;
  int mapped_ = 0;
  int64_t read_bytes_ = 0;
  int64_t written_bytes_ = 0;
  std::array<Frame, kMaxFrames> frames_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STREAM_WINDOW_H_
