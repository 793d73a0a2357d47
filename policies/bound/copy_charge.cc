#include "policies/bound/copy_charge.h"

#include <algorithm>

namespace stowage::policies {

void CopyCharge::Insert(double price, double most_ns) {
  int at = 0;
  while (at < count_ && parts_[at].price < price) ++at;
  if (at < count_ && parts_[at].price == price) {
    parts_[at].most_ns += most_ns;
  } else {
    if (count_ < kParts) ++count_;
    std::move_backward(parts_.begin() + at, parts_.begin() + count_ - 1,
                       parts_.begin() + count_);
    parts_[at] = {price, most_ns};
  }
  double left_ns = copy_ns_, cost = 0;
  for (int i = 0; i < count_; ++i) {
    const bool takes_rest = i == kParts - 1 || parts_[i].most_ns >= left_ns;
    const double ns = takes_rest ? left_ns : parts_[i].most_ns;
    cost += parts_[i].price * ns;
    left_ns -= ns;
    if (!takes_rest) continue;
    count_ = i + 1;
    cost_ = cost;
    return;
  }
}

}  // namespace stowage::policies
