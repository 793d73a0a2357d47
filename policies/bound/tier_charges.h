// Charges one copy of a tensor for the moments in which it may run, to each
// slower tier on its own.
//
//   TierCharges charges(fast_ns, kCopyIn);
//   charges.Start(lanes, life.in_ns);
//   for (int moment = 8; moment >= 4; --moment) charges.Add(moment);
//   LifeCopy copy = charges.Cheapest(4, 8);
//
// Most moments are too dear to matter. First and Last find those that do, so
// that a search need not look at the others.
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_BOUND_TIER_CHARGES_H_
#define STOWAGE_POLICIES_BOUND_TIER_CHARGES_H_

#include <limits>
#include <vector>

#include "policies/bound/copy_charge.h"
#include "policies/bound/life_prices.h"

namespace stowage::policies {

// Describes a copy to or from tier `slower` + 1 in some of the moments `begin`
// to `end`.
struct LifeCopy {
  double cost = std::numeric_limits<double>::infinity();  // none
  int begin = 0;
  int end = 0;
  int slower = 0;
};

enum CopyDirection { kCopyOut, kCopyIn };

inline int LaneOf(const LifeCopy& copy, CopyDirection direction) {
  return 2 * copy.slower + direction;
}

class TierCharges {
 public:
  // `fast_ns` says by moment what kernels take at most when all operands are
  // fast. It has to outlive the charges.
  TierCharges(const std::vector<double>& fast_ns, CopyDirection direction)
      : fast_ns_(&fast_ns), direction_(direction) {}

  // Begins anew, for a copy that takes `copy_ns` by slower tier, at prices by
  // lane that outlive the charges.
  void Start(const std::vector<MomentPrices>& lanes,
             const std::vector<double>& copy_ns);

  // Lets the copy run in `moment`, too.
  void Add(int moment);

  // Returns the first moment of `begin` to `end` - 1 that makes a copy
  // cheaper; `end` if there is none.
  int First(int begin, int end) const;
  // Returns the last one; `begin` - 1 if there is none.
  int Last(int begin, int end) const;

  // Returns whether no moment makes any copy cheaper.
  bool AreFree() const;

  // Returns the copy that costs least, to which it gives `begin` and `end`.
  LifeCopy Cheapest(int begin, int end) const;

 private:
  struct Tier {
    const MomentPrices* lane = nullptr;
    CopyCharge charge{0};
  };

  const std::vector<double>* fast_ns_;
  CopyDirection direction_;
  std::vector<Tier> tiers_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_TIER_CHARGES_H_
