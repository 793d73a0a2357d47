#include "policies/bound/copy_charge.h"

#include <algorithm>

namespace stowage::policies {

CopyCharge& CopyCharge::operator=(const CopyCharge& other) {
  cost_ = other.cost_;
  highest_price_ = other.highest_price_;
  count_ = other.count_;
  std::copy_n(other.parts_.begin(), count_, parts_.begin());
  std::copy_n(other.before_.begin(), std::min(count_ + 1, kParts),
              before_.begin());
  return *this;
}

void CopyCharge::Insert(double price, double most_ns) {
  int at = count_;
  while (at > 0 && parts_[at - 1].price >= price) --at;
  if (at < count_ && parts_[at].price == price) {
    parts_[at].most_ns += most_ns;
  } else {
    if (count_ < kParts) ++count_;
    for (int i = count_ - 1; i > at; --i) parts_[i] = parts_[i - 1];
    parts_[at] = {price, most_ns};
  }
  Sum(at);
}

// Sums up the parts from `first` on, up to the one that holds the rest.
void CopyCharge::Sum(int first) {
  auto [left_ns, cost] = before_[first];
  for (int i = first; i < count_; ++i) {
    const Part& part = parts_[i];
    if (i == kParts - 1 || part.most_ns >= left_ns) {
      count_ = i + 1;
      cost_ = cost + part.price * left_ns;
      highest_price_ = part.price;
      return;
    }
    cost += part.price * part.most_ns;
    left_ns -= part.most_ns;
    before_[i + 1] = {left_ns, cost};
  }
}

}  // namespace stowage::policies
