// Keeps the addresses of one tier: which extents are free, and which block
// holds each of the others.
//
//   Arena arena(1 << 30);
//   std::optional<int64_t> offset = arena.Allocate(block);  // best fit
//   arena.Free(*offset);
//
// Offsets are multiples of the page size. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_ARENA_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_ARENA_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "client_sdk/runtime/blocks/block.h"

namespace stowage::runtime {

class Arena {
 public:
  struct Extent {
    int64_t size_bytes;
    Block* block;
  };
  // By offset.
  using Extents = std::map<int64_t, Extent>;

  explicit Arena(int64_t capacity_bytes);

  // Takes the smallest free extent that holds the block; returns nullopt if
  // there is none.
  std::optional<int64_t> Allocate(Block* block);
  // Takes exactly that room; returns false if any byte of it is taken or
  // outside.
  bool AllocateAt(int64_t offset_bytes, Block* block);
  // Frees the extent that begins at `offset_bytes`; there must be one.
  void Free(int64_t offset_bytes);

  // Hands out no more offsets at and above `capacity_bytes`. Extents already
  // there stay until they are freed.
  void SetCapacity(int64_t capacity_bytes);

  // Returns the blocks that have a byte of that room, by offset.
  std::vector<Block*> BlocksIn(int64_t offset_bytes, int64_t size_bytes) const;
  // Returns the block whose extent holds this offset, or null.
  Block* Find(int64_t offset_bytes) const;

  const Extents& used() const { return used_; }
  // Returns the sizes of the free extents by offset, ascending.
  const std::map<int64_t, int64_t>& free() const { return free_; }
  int64_t capacity_bytes() const { return capacity_bytes_; }
  int64_t used_bytes() const { return used_bytes_; }

 private:
  void AddFree(int64_t offset_bytes, int64_t size_bytes);
  void RemoveFree(int64_t offset_bytes);
  void Take(int64_t free_offset, int64_t offset_bytes, Block* block);

  int64_t capacity_bytes_ = 0;
  int64_t used_bytes_ = 0;
  Extents used_;
  // Invariant: free extents do not touch each other, and both indexes hold the
  // same ones.
  std::map<int64_t, int64_t> free_;
  std::set<std::pair<int64_t, int64_t>> free_by_size_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_ARENA_H_
