#include "policies/baselines/pressure.h"

#include <algorithm>

namespace stowage {

Pressure::Pressure(const StepFacts& facts, int64_t budget_bytes)
    : step_(facts.kernel_count() + 1), over_bytes_(facts.all_fast_bytes) {
  for (KernelIndex b = 0; b < step_; ++b) {
    const bool last = b == facts.kernel_count();
    const int64_t need_bytes = last ? 0 : facts.workload.need_bytes[b];
    over_bytes_[b] -= std::max(budget_bytes, need_bytes);
    kernel_ns_.push_back(
        last ? 0 : facts.boundary_ns[b + 1] - facts.boundary_ns[b]);
  }
}

void Pressure::Relieve(KernelIndex begin, KernelIndex end, int64_t bytes) {
  for (KernelIndex b = begin; b < end; ++b) over_bytes_[b % step_] -= bytes;
}

bool Pressure::IsOver(KernelIndex begin, KernelIndex end) const {
  for (KernelIndex b = begin; b < end; ++b) {
    if (over_bytes_[b % step_] > 0) return true;
  }
  return false;
}

double Pressure::Relief(KernelIndex begin, KernelIndex end,
                        int64_t bytes) const {
  double relief = 0;
  for (KernelIndex b = begin; b < end; ++b) {
    const int64_t relieved = std::min(bytes, over_bytes_[b % step_]);
    // A boundary without duration still has to fit.
    if (relieved > 0) {
      relief += static_cast<double>(relieved) * (1 + kernel_ns_[b % step_]);
    }
  }
  return relief;
}

KernelIndex Pressure::EarliestWithRoom(KernelIndex earliest, KernelIndex begin,
                                       int64_t bytes) const {
  while (begin > earliest && over_bytes_[(begin - 1) % step_] + bytes <= 0) {
    --begin;
  }
  return begin;
}

}  // namespace stowage
