#include "client_sdk/runtime/stream_window.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "client_sdk/runtime/tier_copy.h"

namespace stowage {
namespace {

constexpr int64_t kShare = 100;  // of the limit, the window's part
constexpr int64_t kLeastChunkBytes = 16 << 10;
constexpr int64_t kMostBytes = 64 << 20;
constexpr int kLeastFrames = 16;
// A kernel's threads each work on a few operands at a time; with fewer chunks
// they would take them from each other.
constexpr int kFramesPerProcessor = 4;

}  // namespace

int StreamWindow::FrameCount() {
  static const int count = std::clamp<int>(
      kFramesPerProcessor * sysconf(_SC_NPROCESSORS_ONLN), kLeastFrames,
      kMaxFrames);
  return count;
}

int64_t StreamWindow::BytesFor(int64_t limit_bytes) {
  const int64_t bytes = std::clamp(
      limit_bytes / kShare, FrameCount() * kLeastChunkBytes, kMostBytes);
  const int64_t chunk_bytes = bytes / FrameCount() / session::kPageBytes *
                              session::kPageBytes;
  return chunk_bytes * FrameCount();
}

StreamWindow::StreamWindow(const std::vector<MappedTier>* tiers, int64_t bytes)
    : tiers_(tiers) {
  Resize(bytes);
}

int StreamWindow::Resize(int64_t bytes) {
  for (int i = 0; i < frame_count_; ++i) {
    if (frames_[i].address == nullptr) continue;
    if (int error = Evict(frames_[i], /*keep=*/true)) return error;
  }
  frame_count_ = FrameCount();
  chunk_bytes_ = bytes / frame_count_;
  next_victim_ = 0;
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

  Frame& frame = frames_[std::exchange(next_victim_,
                                       (next_victim_ + 1) % frame_count_)];
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
    if (int error = WriteFileTier((*tiers_)[frame.tier],
                                  frame.tier_offset_bytes,
                                  fast.base + FrameOffset(frame),
                                  frame.size_bytes)) {
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

}  // namespace stowage
