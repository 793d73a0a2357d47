#include "policies/intervals/interval_clock.h"

namespace stowage::policies {

IntervalClock::IntervalClock(const std::vector<int64_t>& kernel_ns) {
  time_ns_.push_back(0);
  for (int64_t ns : kernel_ns) time_ns_.push_back(time_ns_.back() + ns);
}

void IntervalClock::Open(KernelIndex end) {
  while (open_end_ < end) time_ns_[++open_end_] += shift_ns_;
}

void IntervalClock::Wait(KernelIndex boundary, int64_t wait_ns) {
  for (KernelIndex b = boundary; b <= open_end_; ++b) time_ns_[b] += wait_ns;
  shift_ns_ += wait_ns;
}

KernelIndex IntervalClock::FirstAt(int64_t ns, KernelIndex low,
                                   KernelIndex high) const {
  while (low < high) {
    const KernelIndex middle = low + (high - low) / 2;
    if (TimeNs(middle) >= ns) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

KernelIndex IntervalClock::LastAt(int64_t ns, KernelIndex low,
                                  KernelIndex high) const {
  while (low < high) {
    const KernelIndex middle = high - (high - low) / 2;
    if (TimeNs(middle) <= ns) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

}  // namespace stowage::policies
