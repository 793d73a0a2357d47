// Counts bytes that come and go on many threads, and the most at any moment.
//
//   CountedBytes bytes;
//   bytes.Add(size);       // allocated
//   bytes.Add(-size);      // freed
//   bytes.peak();
//
// Thread-safe, without a lock.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_COUNTED_BYTES_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_COUNTED_BYTES_H_

#include <atomic>
#include <cstdint>

namespace stowage::runtime {

class CountedBytes {
 public:
  void Add(int64_t bytes) {
    const int64_t now = now_.fetch_add(bytes, kRelaxed) + bytes;
    int64_t peak = peak_.load(kRelaxed);
    while (now > peak &&
           !peak_.compare_exchange_weak(peak, now, kRelaxed, kRelaxed)) {
    }
  }

  int64_t now() const { return now_.load(kRelaxed); }
  int64_t peak() const { return peak_.load(kRelaxed); }

 private:
  static constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

  std::atomic<int64_t> now_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_COUNTED_BYTES_H_
