// Shows on a terminal that a job waits for a plan, in a line that is gone when
// the wait is over.
//
//   PlanningLine line(/*kind=*/2, STDERR_FILENO);
//   while (!Done()) {
//     WaitForMilliseconds(20);
//     line.Look(session::NowNs());  // stowage: planning step kind 2 ... 3 s
//   }
//
// Writes nothing to what is no terminal.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANNING_LINE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANNING_LINE_H_

#include <stdio.h>
#include <unistd.h>

#include <cstdint>

#include "client_sdk/session/clock.h"

namespace stowage::runtime {

class PlanningLine {
 public:
  // Shorter waits are not worth a word.
  static constexpr int64_t kFirstNs = 500'000'000;

  PlanningLine(int32_t kind, int fd, int64_t now_ns = session::NowNs())
      : kind_(kind), fd_(isatty(fd) == 1 ? fd : -1), begin_ns_(now_ns) {}
  ~PlanningLine() {
    if (shown_s_ >= 0) dprintf(fd_, kClear);
  }
  PlanningLine(const PlanningLine&) = delete;
  PlanningLine& operator=(const PlanningLine&) = delete;

  // Brings the line up to date, once a second.
  void Look(int64_t now_ns) {
    const int64_t waited_ns = now_ns - begin_ns_;
    const int64_t waited_s = waited_ns / kSecondNs;
    if (fd_ < 0 || waited_ns < kFirstNs || waited_s == shown_s_) return;
    shown_s_ = waited_s;
    dprintf(fd_, "%sstowage: planning step kind %d ... %lld s", kClear, kind_,
            static_cast<long long>(waited_s));
  }

 private:
  static constexpr int64_t kSecondNs = 1'000'000'000;
  static constexpr char kClear[] = "\r\033[K";

  const int32_t kind_;
  const int fd_;  // -1: no terminal
  const int64_t begin_ns_;
  int64_t shown_s_ = -1;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANNING_LINE_H_
