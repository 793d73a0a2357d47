#include "client_sdk/runtime/stream_window.h"

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/tier_copy.h"
#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kShare = 400;  // of the limit, the part set aside
constexpr int64_t kLeastBytes = 256 << 10;
constexpr int64_t kMostBytes = 64 << 20;
// Large chunks make good use of the file; many of them keep the threads of a
// kernel from taking them from each other.
constexpr int64_t kPreferredFrames = 256;
constexpr int64_t kLeastChunkBytes = 16 << 10;
constexpr int64_t kMostChunkBytes = 1 << 20;

}  // namespace

int64_t StreamWindow::BytesFor(int64_t limit_bytes) {
  return RoundUpToPage(
      std::clamp(limit_bytes / kShare, kLeastBytes, kMostBytes));
}

int StreamWindow::Use(int64_t offset_bytes, int64_t bytes) {
  for (int i = 0; mapped_ > 0 && i < frame_count_; ++i) {
    if (frames_[i].address == nullptr) continue;
    if (int error = Evict(frames_[i], /*keep=*/true)) return error;
  }
  offset_bytes_ = offset_bytes;
  chunk_bytes_ = std::clamp(RoundUpToPage(bytes / kPreferredFrames),
                            kLeastChunkBytes, kMostChunkBytes);
  frame_count_ = std::min<int64_t>(bytes / chunk_bytes_, kMaxFrames);
  return 0;
}

int StreamWindow::Fault(const Block& block, const char* address) {
  const MappedTier& tier = (*tiers_)[block.place.tier];
  char* begin = tier.base + block.place.offset_bytes;
  const int64_t chunk_offset = (address - begin) / chunk_bytes_ * chunk_bytes_;
  char* chunk = begin + chunk_offset;

  for (int i = 0; i < frame_count_; ++i) {
    Frame& frame = frames_[i];
    if (frame.address != chunk) continue;
    // It is mapped: another thread was faster, or this is the first write.
    frame.dirty = true;
    return mprotect(chunk, frame.size_bytes, PROT_READ | PROT_WRITE) == 0
               ? 0
               : errno;
  }

  Frame& frame = NextVictim();
  if (frame.address != nullptr) {
    if (int error = Evict(frame, /*keep=*/true)) return error;
  }
  const MappedTier& fast = (*tiers_)[session::kFastTier];
  const int64_t frame_offset = FrameOffset(frame);
  const int64_t bytes =
      std::min(chunk_bytes_, block.room_bytes() - chunk_offset);
  const int64_t tier_offset = block.place.offset_bytes + chunk_offset;
  if (int error =
          ReadFileTier(tier, tier_offset, fast.base + frame_offset, bytes)) {
    return error;
  }
  if (mmap(chunk, bytes, PROT_READ, MAP_SHARED | MAP_FIXED, fast.fd,
           frame_offset) == MAP_FAILED) {
    return errno;
  }
  frame = {chunk, block.place.tier, tier_offset, bytes, block.id, false};
  ++mapped_;
  read_bytes_ += bytes;
  return 0;
}

// A free frame, or any: kernels sweep over their operands again and again, and
// of a sweep that does not fit the oldest chunk is the next one needed.
StreamWindow::Frame& StreamWindow::NextVictim() {
  for (int i = 0; mapped_ < frame_count_ && i < frame_count_; ++i) {
    if (frames_[i].address == nullptr) return frames_[i];
  }
  random_ = session::HashMix(random_, 1);
  return frames_[random_ % frame_count_];
}

int StreamWindow::Release(const Block& block, bool keep) {
  for (int i = 0; mapped_ > 0 && i < frame_count_; ++i) {
    Frame& frame = frames_[i];
    if (frame.address == nullptr || frame.block_id != block.id) continue;
    if (int error = Evict(frame, keep)) return error;
  }
  return 0;
}

int StreamWindow::Evict(Frame& frame, bool keep) {
  if (frame.dirty && keep) {
    // Writers fault and wait from here on; readers go on until the unmapping.
    mprotect(frame.address, frame.size_bytes, PROT_READ);
    const MappedTier& fast = (*tiers_)[session::kFastTier];
    if (int error =
            WriteFileTier((*tiers_)[frame.tier], frame.tier_offset_bytes,
                          fast.base + FrameOffset(frame), frame.size_bytes)) {
      return error;
    }
    written_bytes_ += frame.size_bytes;
  }
  if (mmap(frame.address, frame.size_bytes, PROT_NONE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == MAP_FAILED) {
    return errno;
  }
  frame = {};
  --mapped_;
  return 0;
}

int64_t StreamWindow::TakeReadBytes() { return std::exchange(read_bytes_, 0); }

int64_t StreamWindow::TakeWrittenBytes() {
  return std::exchange(written_bytes_, 0);
}

}  // namespace stowage::runtime
