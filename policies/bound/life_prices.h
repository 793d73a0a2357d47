// Holds what the life of a tensor is charged for: copies, slow uses and room.
//
//   LifePrices prices;
//   prices.lane = &lanes;
//   double cost = prices.Room(slice, slice + 1);
//
// The prices are those of two steps. Moment 2 s is the waiting before unrolled
// slice s; in moment 2 s + 1 the kernels of s run.
#ifndef STOWAGE_POLICIES_BOUND_LIFE_PRICES_H_
#define STOWAGE_POLICIES_BOUND_LIFE_PRICES_H_

#include <vector>

namespace stowage::policies {

// Says what a lane costs by moment: `price` for as long as its kernel takes at
// most when all operands are fast, `over_price`, which is no less, beyond.
struct MomentPrices {
  static constexpr int kGroup = 16;

  std::vector<double> price;
  std::vector<double> over_price;
  std::vector<double> least;  // of `price`, by group of kGroup moments
};

// Returns the first of the moments `begin` to `end` - 1 in which a lane costs
// less than `limit`; `end` if there is none.
int FirstBelow(const MomentPrices& lane, double limit, int begin, int end);
// Returns the last one; one before `begin` if there is none.
int LastBelow(const MomentPrices& lane, double limit, int begin, int end);

// Finds the least price of each group.
void GroupMoments(MomentPrices& lane);

struct LifePrices {
  const std::vector<MomentPrices>* lane = nullptr;  // for the tensor in hand
  std::vector<double> kernel;       // by slice: the price of its kernels' time
  std::vector<double> over_kernel;  // by slice: the price of all lanes
  std::vector<double> byte_before;  // sums of the prices of room
  // What the tensor in hand pays for room.
  const std::vector<double>* room_before = nullptr;
  double room_factor = 1;
  double bytes = 0;

  double Room(int begin, int end) const {
    return ((*room_before)[end] - (*room_before)[begin]) * room_factor;
  }
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LIFE_PRICES_H_
