// Counts what faults read that belong to no sweep, to find operands of which a
// kernel needs little of each piece: it has then read more than the operand.
//
//   ScatteredReads reads;
//   reads.Note(block->id, piece.size_bytes);
//   if (reads.BytesOf(block->id) > block->size_bytes) UseSmallerPieces();
//
// Pure: a fixed array, no system calls. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_SCATTERED_READS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_SCATTERED_READS_H_

#include <algorithm>
#include <array>
#include <cstdint>

namespace stowage::runtime {

class ScatteredReads {
 public:
  // Adds to what was read of the block. Of more than 16 blocks it forgets that
  // of which least was.
  void Note(uint64_t block_id, int64_t bytes) {
    Entry* entry = Find(block_id);
    if (entry == entries_.end()) {
      entry = std::min_element(
          entries_.begin(), entries_.end(),
          [](const Entry& a, const Entry& b) { return a.bytes < b.bytes; });
      *entry = {.block_id = block_id};
    }
    entry->bytes += bytes;
  }

  int64_t BytesOf(uint64_t block_id) {
    const Entry* entry = Find(block_id);
    return entry == entries_.end() ? 0 : entry->bytes;
  }

 private:
  struct Entry {
    uint64_t block_id = 0;  // 0: none
    int64_t bytes = 0;
  };

  Entry* Find(uint64_t block_id) {
    return std::find_if(
        entries_.begin(), entries_.end(),
        [=](const Entry& entry) { return entry.block_id == block_id; });
  }

  std::array<Entry, 16> entries_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_SCATTERED_READS_H_
