// Knows a checksum of each page of a job's file tier, so that a byte that
// changes there is found when it is read back.
//
//   PageSums sums(table);
//   sums.Note(offset_bytes, fast, size_bytes);  // before it is written
//   if (!sums.Match(offset_bytes, fast, size_bytes)) Refuse(ErrorText(kBadSum));
//
// Process and agent write the same table, in shared memory: each page of the
// file is the room of one tensor, which one of them moves at a time. xxHash
// makes the sums; of two pages that differ, one pair in 2^64 has the same.
#ifndef STOWAGE_CLIENT_SDK_SESSION_PAGE_SUMS_H_
#define STOWAGE_CLIENT_SDK_SESSION_PAGE_SUMS_H_

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <atomic>
#include <cstdint>

#include "client_sdk/session/session.h"

namespace stowage::session {

// Thread-safe for pages that differ. Does not own the table.
class PageSums {
 public:
  // Knows no sum: matches everything.
  PageSums() = default;
  // `table` has zeros where nothing has been noted.
  explicit PageSums(std::atomic<uint64_t>* table) : table_(table) {}

  // Returns the size of the table for a file of this size.
  static int64_t TableBytes(int64_t file_bytes) {
    return (file_bytes / kPageBytes + 1) * sizeof(uint64_t);
  }

  // Notes what is being written to the file. Offset and size are whole pages.
  void Note(int64_t offset_bytes, const void* memory, int64_t bytes) const {
    if (table_ == nullptr) return;
    ForEachPage(offset_bytes, memory, bytes,
                [](std::atomic<uint64_t>& known, uint64_t sum) {
                  known.store(sum, std::memory_order_relaxed);
                  return true;
                });
  }

  // Returns whether what has been read is what was written, as far as that was
  // noted.
  bool Match(int64_t offset_bytes, const void* memory, int64_t bytes) const {
    return table_ == nullptr ||
           ForEachPage(offset_bytes, memory, bytes,
                       [](const std::atomic<uint64_t>& known, uint64_t sum) {
                         const uint64_t noted =
                             known.load(std::memory_order_relaxed);
                         return noted == 0 || noted == sum;
                       });
  }

 private:
  // Calls `visit` with the place of each page in the table and the page's sum,
  // until it returns false. Returns whether it never did.
  template <typename Visit>
  bool ForEachPage(int64_t offset_bytes, const void* memory, int64_t bytes,
                   Visit visit) const {
    const char* page = static_cast<const char*>(memory);
    std::atomic<uint64_t>* known = table_ + offset_bytes / kPageBytes;
    for (int64_t at = 0; at < bytes; at += kPageBytes) {
      const uint64_t sum = XXH3_64bits(page + at, kPageBytes);
      if (!visit(*known++, sum == 0 ? 1 : sum)) return false;
    }
    return true;
  }

  std::atomic<uint64_t>* table_ = nullptr;
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_PAGE_SUMS_H_
