#include "client_sdk/runtime/blocks/arena.h"

#include <algorithm>
#include <vector>

namespace stowage::runtime {

Arena::Arena(int64_t capacity_bytes) { SetCapacity(capacity_bytes); }

std::optional<int64_t> Arena::Allocate(Block* block) {
  auto fit = free_by_size_.lower_bound({block->room_bytes(), 0});
  if (fit == free_by_size_.end()) return std::nullopt;
  const int64_t offset_bytes = fit->second;
  Take(offset_bytes, offset_bytes, block);
  return offset_bytes;
}

bool Arena::AllocateAt(int64_t offset_bytes, Block* block) {
  auto next = free_.upper_bound(offset_bytes);
  if (next == free_.begin()) return false;
  const auto [free_offset, free_size] = *std::prev(next);
  if (offset_bytes + block->room_bytes() > free_offset + free_size) {
    return false;
  }
  Take(free_offset, offset_bytes, block);
  return true;
}

void Arena::Free(int64_t offset_bytes) {
  auto extent = used_.find(offset_bytes);
  const int64_t size_bytes = extent->second.size_bytes;
  used_.erase(extent);
  used_bytes_ -= size_bytes;
  const int64_t inside = std::min(
      size_bytes, std::max<int64_t>(0, capacity_bytes_ - offset_bytes));
  if (inside > 0) AddFree(offset_bytes, inside);
}

void Arena::SetCapacity(int64_t capacity_bytes) {
  capacity_bytes_ = capacity_bytes;
  free_.clear();
  free_by_size_.clear();
  int64_t end = 0;
  for (const auto& [offset, extent] : used_) {
    const int64_t gap_end = std::min(offset, capacity_bytes);
    if (gap_end > end) AddFree(end, gap_end - end);
    end = offset + extent.size_bytes;
  }
  if (capacity_bytes > end) AddFree(end, capacity_bytes - end);
}

Block* Arena::Find(int64_t offset_bytes) const {
  auto next = used_.upper_bound(offset_bytes);
  if (next == used_.begin()) return nullptr;
  const auto& [offset, extent] = *std::prev(next);
  return offset_bytes < offset + extent.size_bytes ? extent.block : nullptr;
}

std::vector<Block*> Arena::BlocksIn(int64_t offset_bytes,
                                    int64_t size_bytes) const {
  std::vector<Block*> blocks;
  const int64_t end_bytes = offset_bytes + size_bytes;
  auto extent = used_.upper_bound(offset_bytes);
  if (extent != used_.begin()) --extent;
  for (; extent != used_.end() && extent->first < end_bytes; ++extent) {
    if (extent->first + extent->second.size_bytes > offset_bytes) {
      blocks.push_back(extent->second.block);
    }
  }
  return blocks;
}

void Arena::AddFree(int64_t offset_bytes, int64_t size_bytes) {
  auto next = free_.lower_bound(offset_bytes);
  if (next != free_.end() && next->first == offset_bytes + size_bytes) {
    size_bytes += next->second;
    RemoveFree(next->first);
  }
  next = free_.lower_bound(offset_bytes);
  if (next != free_.begin()) {
    const auto [before, before_size] = *std::prev(next);
    if (before + before_size == offset_bytes) {
      RemoveFree(before);
      offset_bytes = before;
      size_bytes += before_size;
    }
  }
  free_[offset_bytes] = size_bytes;
  free_by_size_.insert({size_bytes, offset_bytes});
}

void Arena::RemoveFree(int64_t offset_bytes) {
  auto extent = free_.find(offset_bytes);
  free_by_size_.erase({extent->second, offset_bytes});
  free_.erase(extent);
}

void Arena::Take(int64_t free_offset, int64_t offset_bytes, Block* block) {
  const int64_t room_bytes = block->room_bytes();
  const int64_t free_end = free_offset + free_.at(free_offset);
  RemoveFree(free_offset);
  if (offset_bytes > free_offset) {
    AddFree(free_offset, offset_bytes - free_offset);
  }
  if (free_end > offset_bytes + room_bytes) {
    AddFree(offset_bytes + room_bytes, free_end - offset_bytes - room_bytes);
  }
  used_[offset_bytes] = {room_bytes, block};
  used_bytes_ += room_bytes;
}

}  // namespace stowage::runtime
