// Keeps the highest value that was given to each place of an address space, of
// places between neighbouring bounds. Raising a range and finding its highest
// value take logarithmic time.
//
//   HighestByAddress until(bounds.size(), 0);
//   until.Raise({2, 5}, 9);                  // from bound 2 to bound 5
//   KernelIndex highest = until.Highest({4, 7});
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_LAYOUT_HIGHEST_BY_ADDRESS_H_
#define STOWAGE_POLICIES_LAYOUT_HIGHEST_BY_ADDRESS_H_

#include <algorithm>
#include <cstddef>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

// Spans addresses from one bound to another; both are indices.
struct AddressSpan {
  int begin = 0;
  int end = 0;
};

class HighestByAddress {
 public:
  HighestByAddress(size_t bounds, KernelIndex initial) : initial_(initial) {
    // A leaf on either side of the places simplifies the loops.
    while (leaves_ < bounds + 2) leaves_ *= 2;
    raised_.assign(2 * leaves_, initial);
    highest_ = raised_;
  }

  void Raise(const AddressSpan& span, KernelIndex value) {
    if (span.begin >= span.end) return;
    size_t left = leaves_ + span.begin;
    size_t right = leaves_ + 1 + span.end;
    for (; left / 2 != right / 2; left /= 2, right /= 2) {
      if (left % 2 == 0) RaiseAll(left + 1, value);
      if (right % 2 == 1) RaiseAll(right - 1, value);
      Update(left / 2);
      Update(right / 2);
    }
    while (left /= 2) RaiseTo(highest_[left], value);
  }

  // Returns the highest value of the span; the initial value if it is empty.
  KernelIndex Highest(const AddressSpan& span) const {
    KernelIndex highest = initial_;
    if (span.begin >= span.end) return highest;
    size_t left = leaves_ + span.begin;
    size_t right = leaves_ + 1 + span.end;
    bool any_left = false, any_right = false;
    for (; left / 2 != right / 2; left /= 2, right /= 2) {
      if (left % 2 == 0) RaiseTo(highest, highest_[left + 1]);
      if (right % 2 == 1) RaiseTo(highest, highest_[right - 1]);
      any_left |= left % 2 == 0;
      any_right |= right % 2 == 1;
      if (any_left) RaiseTo(highest, raised_[left / 2]);
      if (any_right) RaiseTo(highest, raised_[right / 2]);
    }
    while (left /= 2) RaiseTo(highest, raised_[left]);
    return highest;
  }

 private:
  static void RaiseTo(KernelIndex& value, KernelIndex least) {
    value = std::max(value, least);
  }

  void RaiseAll(size_t node, KernelIndex value) {
    RaiseTo(raised_[node], value);
    RaiseTo(highest_[node], value);
  }

  void Update(size_t node) {
    highest_[node] =
        std::max({raised_[node], highest_[2 * node], highest_[2 * node + 1]});
  }

  KernelIndex initial_;
  // A segment tree; the place behind bound i is leaf i + 1. Invariant:
  // highest_[n] is the highest of its children and of raised_[n], the value to
  // which the whole node was raised.
  size_t leaves_ = 4;
  std::vector<KernelIndex> raised_;
  std::vector<KernelIndex> highest_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_LAYOUT_HIGHEST_BY_ADDRESS_H_
