// Sums what kernels, and stretches of them, lose to waiting and to slower
// tiers.
//
//   LostTime lost(judge.LostNs());
//   int64_t around_ns = lost.WithinNs({kernel - 2, kernel + 3});
//
// Thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_LOST_TIME_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_LOST_TIME_H_

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/model/graph.h"

namespace stowage::policies {

class LostTime {
 public:
  // `lost_ns` is by kernel; at least 1 of each counts.
  explicit LostTime(std::vector<int64_t> lost_ns) : ns_(std::move(lost_ns)) {
    for (int64_t& ns : ns_) ns = std::max<int64_t>(1, ns);
    before_ns_.resize(ns_.size() + 1);
    std::partial_sum(ns_.begin(), ns_.end(), before_ns_.begin() + 1);
  }

  const std::vector<int64_t>& by_kernel_ns() const { return ns_; }

  // Returns whether all of `kernels` exist.
  bool Has(const Span& kernels) const {
    const auto [begin, end] = Clip(kernels);
    return begin == kernels.begin && end == kernels.end;
  }

  // Returns those of `kernels` that exist.
  Span Clip(const Span& kernels) const {
    return {std::max(0, kernels.begin),
            std::min(static_cast<KernelIndex>(ns_.size()), kernels.end)};
  }

  // Returns the loss of those of `kernels` that exist.
  int64_t WithinNs(const Span& kernels) const {
    const auto [begin, end] = Clip(kernels);
    return before_ns_[end] - before_ns_[begin];
  }

 private:
  std::vector<int64_t> ns_;
  std::vector<int64_t> before_ns_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_LOST_TIME_H_
