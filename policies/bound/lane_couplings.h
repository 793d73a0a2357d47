// Says what two lanes that slow each other can copy at most in some time
// together (docs/lower-bound.md).
//
//   for (const LaneCoupling& c : FindLaneCouplings(system)) {
//     // T >= c.out * (copied out) + c.in * (copied in), in ns of copies alone
//   }
#ifndef STOWAGE_POLICIES_BOUND_LANE_COUPLINGS_H_
#define STOWAGE_POLICIES_BOUND_LANE_COUPLINGS_H_

#include <vector>

#include "policies/model/memory_system.h"

namespace stowage::policies {

// Holds weights, at most 1, of the copies out of the fast tier to a slower one
// and of those into it.
struct LaneCoupling {
  int slower = 0;  // the slower tier - 1
  double out = 1;
  double in = 1;

  // Lanes are numbered as in BoundPrices; 0: the coupling does not have it.
  double Of(int lane) const {
    if (lane / 2 != slower) return 0;
    return lane % 2 == 0 ? out : in;
  }
};

// Returns none for lanes that keep their bandwidth.
std::vector<LaneCoupling> FindLaneCouplings(const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LANE_COUPLINGS_H_
