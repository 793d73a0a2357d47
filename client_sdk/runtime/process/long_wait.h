// Says on the terminal when something is waited for that takes strangely long.
//
//   LongWait wait("a copy of 4.00 MiB from the slow tier file");
//   while (!Done()) {
//     WaitForSeconds(1);
//     wait.Look(session::NowNs());
//   }
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_LONG_WAIT_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_LONG_WAIT_H_

#include <stdio.h>

#include <cstdint>

#include "client_sdk/session/clock.h"

namespace stowage::runtime {

// Makes one line after ten seconds, and one a minute from then on. Allocates
// nothing: it serves in handlers of synchronous faults.
class LongWait {
 public:
  static constexpr int64_t kFirstNs = 10'000'000'000;
  static constexpr int64_t kAgainNs = 60'000'000'000;

  // `what` must outlive it.
  explicit LongWait(const char* what, int64_t now_ns = session::NowNs())
      : what_(what), begin_ns_(now_ns), next_ns_(now_ns + kFirstNs) {}

  // Returns whether it has said something.
  bool Look(int64_t now_ns) {
    if (now_ns < next_ns_) return false;
    next_ns_ += kAgainNs;
    fprintf(stderr,
            "stowage: waiting for %s, for %lld s by now; the disk may hang, or "
            "the agent be stopped\n",
            what_, static_cast<long long>((now_ns - begin_ns_) / kSecondNs));
    return true;
  }

 private:
  static constexpr int64_t kSecondNs = 1'000'000'000;

  const char* const what_;
  const int64_t begin_ns_;
  int64_t next_ns_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PROCESS_LONG_WAIT_H_
