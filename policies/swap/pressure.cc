#include "policies/swap/pressure.h"

#include <algorithm>

namespace stowage::policies {

Pressure::Pressure(const StepFacts& facts, int64_t budget_bytes)
    : step_(facts.kernel_count() + 1),
      over_bytes_(facts.all_fast_bytes),
      blocks_(step_ / kBlock + 1) {
  for (KernelIndex b = 0; b < step_; ++b) {
    const bool last = b == facts.kernel_count();
    const int64_t need_bytes = last ? 0 : facts.workload.need_bytes[b];
    over_bytes_[b] -= std::max(budget_bytes, need_bytes);
    // A boundary without duration still has to fit.
    const int64_t kernel_ns =
        last ? 0 : facts.boundary_ns[b + 1] - facts.boundary_ns[b];
    weight_.push_back(static_cast<double>(1 + kernel_ns));
    blocks_[b / kBlock].weight += weight_.back();
  }
  SumUp(0, step_);
}

void Pressure::Relieve(KernelIndex begin, KernelIndex end, int64_t bytes) {
  for (const Span& span : Parts(begin, end)) {
    for (KernelIndex b = span.begin; b < span.end; ++b) over_bytes_[b] -= bytes;
    SumUp(span.begin, span.end);
  }
}

void Pressure::SumUp(KernelIndex begin, KernelIndex end) {
  if (begin >= end) return;
  for (KernelIndex n = begin / kBlock; n <= (end - 1) / kBlock; ++n) {
    const auto first = over_bytes_.begin() + n * kBlock;
    const auto last = over_bytes_.begin() + std::min((n + 1) * kBlock, step_);
    const auto [least, most] = std::minmax_element(first, last);
    blocks_[n].least_over_bytes = *least;
    blocks_[n].most_over_bytes = *most;
  }
}

bool Pressure::IsOver(KernelIndex begin, KernelIndex end) const {
  for (const Span& span : Parts(begin, end)) {
    for (KernelIndex b = span.begin; b < span.end; ++b) {
      if (over_bytes_[b] > 0) return true;
    }
  }
  return false;
}

double Pressure::Relief(KernelIndex begin, KernelIndex end,
                        int64_t bytes) const {
  double relief = 0;
  for (const Span& span : Parts(begin, end)) {
    for (KernelIndex b = span.begin; b < span.end;) {
      const Block& block = blocks_[b / kBlock];
      const KernelIndex next = std::min((b / kBlock + 1) * kBlock, span.end);
      const bool whole = b % kBlock == 0 && next == b + kBlock;
      if (whole && block.least_over_bytes >= bytes) {
        relief += static_cast<double>(bytes) * block.weight;
      } else if (block.most_over_bytes > 0) {
        relief += ReliefWithinBlock(b, next, bytes);
      }
      b = next;
    }
  }
  return relief;
}

double Pressure::ReliefWithinBlock(KernelIndex begin, KernelIndex end,
                                   int64_t bytes) const {
  double relief = 0;
  for (KernelIndex b = begin; b < end; ++b) {
    const int64_t relieved =
        std::max<int64_t>(0, std::min(bytes, over_bytes_[b]));
    relief += static_cast<double>(relieved) * weight_[b];
  }
  return relief;
}

std::array<Span, 2> Pressure::Parts(KernelIndex begin, KernelIndex end) const {
  const KernelIndex turn = begin / step_ * step_;
  return {Span{begin - turn, std::min(end - turn, step_)},
          Span{0, std::min(end - turn - step_, step_)}};
}

KernelIndex Pressure::EarliestWithRoom(KernelIndex earliest, KernelIndex begin,
                                       int64_t bytes) const {
  while (begin > earliest && over_bytes_[(begin - 1) % step_] + bytes <= 0) {
    --begin;
  }
  return begin;
}

}  // namespace stowage::policies
