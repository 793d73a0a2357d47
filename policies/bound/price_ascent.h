// Looks for prices under which the lower bound is high.
//
//   PriceAscent ascent(relaxation, relaxation.ZeroPrices(), 0.05);
//   ascent.Climb(100);
//   double bound_ns = ascent.best_ns();
//
// It is a subgradient ascent. What bytes of room and nanoseconds of a lane are
// worth differs by orders of magnitude from kernel to kernel, so each price has
// a step of its own: the average of its last slopes over their root mean square
// (as in RMSProp; Tieleman and Hinton, 2012). When nothing is gained any more,
// steps become shorter and the ascent goes on from the best prices.
//
// Deterministic. Not thread-safe.
#ifndef STOWAGE_POLICIES_BOUND_PRICE_ASCENT_H_
#define STOWAGE_POLICIES_BOUND_PRICE_ASCENT_H_

#include <vector>

#include "policies/bound/bound_relaxation.h"

namespace stowage::policies {

class PriceAscent {
 public:
  // `relaxation` must outlive the ascent. `first_step` is a share of a lane's
  // highest price, and of what copying a byte costs.
  PriceAscent(BoundRelaxation& relaxation, const BoundPrices& start,
              double first_step);

  // Makes at most `evaluations` more; fewer once steps have become too small.
  void Climb(int evaluations);

  double best_ns() const { return best_ns_; }
  const BoundPrices& best() const { return best_; }

 private:
  void Restart();
  void Step(const BoundPrices& ascent);
  void MoveLanes(const std::vector<double>& ascent, std::vector<double>& prices,
                 size_t first);
  void Follow(double slope, size_t i);
  double Move(double slope, double scale, double price, size_t i);

  BoundRelaxation& relaxation_;
  const std::vector<double> room_scales_;
  BoundPrices prices_;
  BoundPrices best_;
  double best_ns_ = 0;
  double step_;  // as a share of a lane's highest price
  int stuck_ = 0;
  std::vector<double> slope_;   // by price: the average
  std::vector<double> square_;  // by price: the average of its square
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_PRICE_ASCENT_H_
