#include "client_sdk/runtime/moves/window_frames.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "client_sdk/session/hash.h"

namespace stowage::runtime {

void WindowFrames::Begin(int count) {
  // Pieces are large: those of a larger window are kept for the next one.
  if (count > std::ssize(pieces_)) pieces_.resize(count);
  frames_.resize(count);
  buckets_.assign(std::bit_ceil(static_cast<unsigned>(count)), kNone);
  free_count_ = count;
  least_free_ = 0;
}

int& WindowFrames::BucketOf(uint64_t block_id, int64_t chunk) {
  return buckets_[session::HashMix(block_id, chunk) & (buckets_.size() - 1)];
}

int64_t WindowFrames::ChunkOf(int frame) const {
  const int first = frames_[frame].piece;
  return pieces_[first].chunks.begin + frame - first;
}

StreamPiece* WindowFrames::Find(uint64_t block_id, int64_t chunk) {
  if (frames_.empty()) return nullptr;
  for (int i = BucketOf(block_id, chunk); i != kNone; i = frames_[i].next) {
    StreamPiece* piece = At(i);
    if (piece->block->id == block_id && ChunkOf(i) == chunk) return piece;
  }
  return nullptr;
}

StreamPiece* WindowFrames::At(int frame) {
  const int first = frames_[frame].piece;
  return first == kNone ? nullptr : &pieces_[first];
}

// A number tells the frame.
StreamPiece* WindowFrames::FindNumber(uint64_t number) {
  const auto first = static_cast<int>(number % kMost);
  if (number == 0 || first >= count()) return nullptr;
  return pieces_[first].number == number ? &pieces_[first] : nullptr;
}

int WindowFrames::FindFree(int64_t count) const {
  if (free_count_ < count) return kNone;
  int64_t free = 0;
  for (int i = least_free_; i < this->count(); ++i) {
    free = frames_[i].piece == kNone ? free + 1 : 0;
    if (free == count) return static_cast<int>(i + 1 - count);
  }
  return kNone;
}

StreamPiece& WindowFrames::Put(int first, Block* block, ChunkRange chunks) {
  StreamPiece& piece = pieces_[first];
  piece.number = ++puts_ * kMost + first;
  piece.block = block;
  piece.chunks = chunks;
  const auto end = static_cast<int>(first + piece.frames());
  for (int i = first; i < end; ++i) {
    frames_[i].piece = first;
    int& bucket = BucketOf(block->id, ChunkOf(i));
    frames_[i].next = bucket;
    bucket = i;
  }
  free_count_ -= end - first;
  if (first <= least_free_) least_free_ = std::max(least_free_, end);
  return piece;
}

void WindowFrames::Remove(StreamPiece& piece) {
  const int first = FirstOf(piece);
  const auto end = static_cast<int>(first + piece.frames());
  for (int i = first; i < end; ++i) {
    int* link = &BucketOf(piece.block->id, ChunkOf(i));
    while (*link != i) link = &frames_[*link].next;
    *link = frames_[i].next;
  }
  std::fill(frames_.begin() + first, frames_.begin() + end, Frame{});
  piece = {};
  free_count_ += end - first;
  least_free_ = std::min(least_free_, first);
}

}  // namespace stowage::runtime
