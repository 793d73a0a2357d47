// Counts how long the threads of a kernel waited for faults: so much of its
// duration is not the kernel's.
//
//   FaultWaits waits;
//   waits.Begin();                   // a kernel begins
//   waits.Add(gettid(), wait_ns);    // a thread has faulted
//   waits.MeanNs();
//
// Threads of a kernel wait at the same time and share its work evenly, as a
// rule; so it took longer by what one of them waited. Only system calls and
// fixed arrays. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WAITS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WAITS_H_

#include <sys/types.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace stowage::runtime {

class FaultWaits {
 public:
  // Forgets all waits.
  void Begin() {
    sum_ns_ = 0;
    thread_count_ = 0;
  }
  // Adds a wait of a thread.
  void Add(pid_t thread, int64_t wait_ns) {
    sum_ns_ += wait_ns;
    const auto end = threads_.begin() + thread_count_;
    const bool known = std::find(threads_.begin(), end, thread) != end;
    if (!known && thread_count_ < kMostThreads) {
      threads_[thread_count_++] = thread;
    }
  }
  // Returns what a thread that faulted waited on average.
  int64_t MeanNs() const { return sum_ns_ / std::max(1, thread_count_); }

 private:
  static constexpr int kMostThreads = 256;

  int64_t sum_ns_ = 0;
  int thread_count_ = 0;
  std::array<pid_t, kMostThreads> threads_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WAITS_H_
