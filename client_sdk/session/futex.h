// Waits on a 32-bit word that two processes share.
//
//   uint32_t seen = bell.load(std::memory_order_acquire);
//   if (!HasWork()) FutexWait(bell, seen, /*timeout_ns=*/10'000'000);
//
// Thread-safe; FutexWait blocks.
#ifndef STOWAGE_CLIENT_SDK_SESSION_FUTEX_H_
#define STOWAGE_CLIENT_SDK_SESSION_FUTEX_H_

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace stowage::session {

// Blocks while `word` holds `seen`, until a wake, a signal or the timeout. The
// caller must look again.
inline void FutexWait(std::atomic<uint32_t>& word, uint32_t seen,
                      int64_t timeout_ns) {
  timespec timeout{timeout_ns / 1'000'000'000, timeout_ns % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &timeout, nullptr, 0);
}

// Adds one to `word` and wakes everybody who waits on it.
inline void FutexRing(std::atomic<uint32_t>& word) {
  word.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

// Does what FutexWait does, within one process, for a wake whose `bits` have one
// of these.
inline void FutexWaitFor(std::atomic<uint32_t>& word, uint32_t seen,
                         uint32_t bits, int64_t timeout_ns) {
  timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  const int64_t ns = until.tv_nsec + timeout_ns;
  until.tv_sec += ns / 1'000'000'000;
  until.tv_nsec = ns % 1'000'000'000;
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, seen, &until, nullptr,
          bits);
}

// Wakes as many as `count` of those who wait for one of these bits.
inline void FutexWake(std::atomic<uint32_t>& word, int count, uint32_t bits) {
  syscall(SYS_futex, &word, FUTEX_WAKE_BITSET_PRIVATE, count, nullptr, nullptr,
          bits);
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_FUTEX_H_
