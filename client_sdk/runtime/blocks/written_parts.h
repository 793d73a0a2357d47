// Tells which parts of a block have been written. A block that was born in a
// file tier begins empty, and a part that was never written need not be read.
//
//   WrittenParts parts;              // all are written
//   parts.BeginEmpty(size_bytes);    // none is
//   parts.Mark(begin_bytes, end_bytes);
//   if (parts.Any(begin_bytes, end_bytes)) ReadFromFile();
//
// Mark(), MarkAll() and Any() allocate nothing. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_WRITTEN_PARTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_WRITTEN_PARTS_H_

#include <cstdint>
#include <vector>

namespace stowage::runtime {

class WrittenParts {
 public:
  // Notes that nothing has been written to a block of this size. Allocates.
  void BeginEmpty(int64_t size_bytes) {
    parts_.assign((size_bytes + kPartBytes - 1) / kPartBytes, false);
  }
  void MarkAll() { parts_.clear(); }

  // Marks every part that the bytes touch.
  void Mark(int64_t begin_bytes, int64_t end_bytes) {
    const int64_t end = EndPart(end_bytes);
    for (int64_t i = begin_bytes / kPartBytes; i < end; ++i) parts_[i] = true;
  }
  // Returns whether any part that the bytes touch has been written.
  bool Any(int64_t begin_bytes, int64_t end_bytes) const {
    if (parts_.empty()) return true;
    const int64_t end = EndPart(end_bytes);
    for (int64_t i = begin_bytes / kPartBytes; i < end; ++i) {
      if (parts_[i]) return true;
    }
    return false;
  }

 private:
  static constexpr int64_t kPartBytes = 16 << 10;

  int64_t EndPart(int64_t end_bytes) const {
    const int64_t end = (end_bytes + kPartBytes - 1) / kPartBytes;
    const auto count = static_cast<int64_t>(parts_.size());
    return end < count ? end : count;
  }

  std::vector<bool> parts_;  // empty: all are written
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_WRITTEN_PARTS_H_
