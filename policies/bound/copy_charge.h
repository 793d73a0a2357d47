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
  explicit CopyCharge(double copy_ns) : copy_ns_(copy_ns) {}

  // Adds one moment, or several of one price.
  void Add(double price, double most_ns) {
    if (most_ns > 0 && Counts(price)) Insert(price, most_ns);
  }

  // Returns whether a moment of this price makes the copy cheaper.
  bool Counts(double price) const {
    return !complete() || price < highest_price();
  }

  // Returns the cost; infinite while the copy is longer than the moments.
  double cost() const { return cost_; }
  bool complete() const { return cost_ < kInfinite; }

  // Returns the highest price that a complete copy pays. Moments of lower
  // prices count for all that they may last, those of this price for what
  // remains.
  double highest_price() const { return parts_[count_ - 1].price; }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();
  static constexpr int kParts = 32;

  struct Part {
    double price, most_ns;
  };

  void Insert(double price, double most_ns);

  double copy_ns_;
  double cost_ = kInfinite;
  int count_ = 0;
  std::array<Part, kParts> parts_;  // the first `count_`, ascending
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_COPY_CHARGE_H_
