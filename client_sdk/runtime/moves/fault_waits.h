// Counts how long the threads of a kernel waited for faults: so much of its
// duration is not the kernel's.
//
//   FaultWaits waits;
//   waits.Begin();                   // a kernel begins
//   waits.Add(gettid(), wait_ns);    // a thread has faulted
//   waits.LongestNs();
//
// Threads of a kernel share its work evenly, as a rule, and it ends when the last
// of them does: that waited longest. Only system calls and fixed arrays. The Job's
// mutex guards it.
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
  void Begin() { thread_count_ = 0; }

  // Adds a wait of a thread. The last entry is for all that have none.
  void Add(pid_t thread, int64_t wait_ns) {
    const auto end = threads_.begin() + thread_count_;
    auto entry = std::find_if(threads_.begin(), end, [=](const Thread& known) {
      return known.id == thread;
    });
    if (entry == end && thread_count_ == kMostThreads) --entry;
    if (entry == end) threads_[thread_count_++] = {.id = thread};
    entry->wait_ns += wait_ns;
  }

  // Returns what the thread waited that waited longest.
  int64_t LongestNs() const {
    int64_t longest_ns = 0;
    for (int i = 0; i < thread_count_; ++i) {
      longest_ns = std::max(longest_ns, threads_[i].wait_ns);
    }
    return longest_ns;
  }

 private:
  static constexpr int kMostThreads = 256;

  struct Thread {
    pid_t id = 0;
    int64_t wait_ns = 0;
  };

  int thread_count_ = 0;
  std::array<Thread, kMostThreads> threads_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_MOVES_FAULT_WAITS_H_
