// Computes what a copy costs at least that may run in moments of different
// prices, each of a bounded length.
//
//   CopyCharge charge(copy_ns);
//   charge.Add(price, most_ns);   // for each moment
//   double least_cost = charge.cost();
//
// The cheapest moments count first, each for as long as it may last. The charge
// keeps a few prices apart; time that these do not hold counts at the highest
// of them, which is an estimate from below. For the lower bound
// (docs/lower-bound.md).
#ifndef STOWAGE_POLICIES_BOUND_COPY_CHARGE_H_
#define STOWAGE_POLICIES_BOUND_COPY_CHARGE_H_

#include <array>
#include <limits>

namespace stowage::policies {

class CopyCharge {
 public:
  // The parts are left uninitialised, since there are many.
  explicit CopyCharge(double copy_ns) { before_[0] = {copy_ns, 0}; }
  CopyCharge(const CopyCharge& other) { *this = other; }
  CopyCharge& operator=(const CopyCharge& other);

  // Begins anew.
  void Start(double copy_ns) {
    cost_ = highest_price_ = kInfinite;
    count_ = 0;
    before_[0] = {copy_ns, 0};
  }

  // Adds one moment, or several of one price.
  void Add(double price, double most_ns) {
    if (most_ns > 0 && Counts(price)) Insert(price, most_ns);
  }

  // Returns whether a moment of this price makes the copy cheaper.
  bool Counts(double price) const { return price < highest_price_; }

  // Returns the cost; infinite while the copy is longer than the moments.
  double cost() const { return cost_; }
  bool complete() const { return cost_ < kInfinite; }

  // Returns the highest price that a complete copy pays. Moments of lower
  // prices count for all that they may last, those of this price for what
  // remains. Infinite for other copies.
  double highest_price() const { return highest_price_; }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr int kParts = 32;

  struct Part {
    double price, most_ns;
  };
  // What the parts before one leave, and what they cost.
  struct Before {
    double left_ns, cost;
  };

  void Insert(double price, double most_ns);
  void Sum(int first);

  double cost_ = kInfinite;
  double highest_price_ = kInfinite;
  int count_ = 0;
  std::array<Part, kParts> parts_;     // the first `count_`, ascending
  std::array<Before, kParts> before_;  // as many, and one more if incomplete
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_COPY_CHARGE_H_
