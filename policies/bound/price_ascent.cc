#include "policies/bound/price_ascent.h"

#include <algorithm>
#include <cmath>

namespace stowage::policies {
namespace {

// The ascent ends when steps are below this share of a lane's highest price.
constexpr double kLastStep = 1e-4;

// After so many evaluations that gain less than this share, steps become
// shorter by this factor.
constexpr int kAscentPatience = 30;
constexpr double kGain = 1e-5;
constexpr double kShorter = 0.7;

// The share of an average that stays from one evaluation to the next.
constexpr double kSlopeMemory = 0.9;
constexpr double kSquareMemory = 0.97;

// Keeps sums of prices below 1 as they are rounded.
constexpr double kRoundingSlack = 1e-9;

// Moves to the nearest prices that leave kernels no negative share.
void LimitLanes(std::vector<double>& lanes) {
  while (true) {
    double sum = 0;
    int positive = 0;
    for (const double price : lanes) {
      sum += price;
      positive += price > 0;
    }
    if (sum <= 1) return;
    const double less = (sum - 1) / positive + kRoundingSlack;
    for (double& price : lanes) price = std::max(0.0, price - less);
  }
}

}  // namespace

PriceAscent::PriceAscent(BoundRelaxation& relaxation, const BoundPrices& start,
                         double first_step)
    : relaxation_(relaxation),
      room_scales_(relaxation.RoomScales()),
      prices_(start),
      best_(start),
      step_(first_step) {
  size_t count = start.room.size();
  for (const std::vector<double>& lanes : start.lane) count += lanes.size();
  for (const std::vector<double>& over : start.over) count += over.size();
  slope_.resize(count);
  square_.resize(count);
}

void PriceAscent::Climb(int evaluations) {
  for (int i = 0; i < evaluations && step_ >= kLastStep; ++i) {
    const BoundValue value = relaxation_.Evaluate(prices_);
    if (value.bound_ns > best_ns_ * (1 + kGain)) stuck_ = 0;
    if (value.bound_ns > best_ns_) {
      best_ns_ = value.bound_ns;
      best_ = prices_;
    }
    if (++stuck_ > kAscentPatience) {
      Restart();
    } else {
      Step(value.ascent);
    }
  }
}

void PriceAscent::Restart() {
  step_ *= kShorter;
  stuck_ = 0;
  prices_ = best_;
  std::fill(slope_.begin(), slope_.end(), 0);
}

void PriceAscent::Step(const BoundPrices& ascent) {
  size_t i = 0;
  for (size_t r = 0; r < prices_.room.size(); ++r) {
    prices_.room[r] =
        Move(ascent.room[r], room_scales_[r], prices_.room[r], i++);
  }
  for (size_t b = 0; b < prices_.lane.size(); ++b) {
    MoveLanes(ascent.lane[b], prices_.lane[b], i);
    i += prices_.lane[b].size();
  }
  for (size_t s = 0; s < prices_.over.size(); ++s) {
    for (size_t l = 0; l < prices_.over[s].size(); ++l) {
      prices_.over[s][l] = Move(ascent.over[s][l], 1, prices_.over[s][l], i++);
    }
  }
}

// Moves the lanes of one moment. They compete, so they share one step.
void PriceAscent::MoveLanes(const std::vector<double>& ascent,
                            std::vector<double>& prices, size_t first) {
  double square = 0;
  for (size_t l = 0; l < prices.size(); ++l) {
    Follow(prices[l] <= 0 && ascent[l] < 0 ? 0 : ascent[l], first + l);
    square = std::max(square, square_[first + l]);
  }
  if (square <= 0) return;
  for (size_t l = 0; l < prices.size(); ++l) {
    const double step = step_ * slope_[first + l] / std::sqrt(square);
    prices[l] = std::max(0.0, prices[l] + step);
  }
  LimitLanes(prices);
}

void PriceAscent::Follow(double slope, size_t i) {
  slope_[i] = kSlopeMemory * slope_[i] + (1 - kSlopeMemory) * slope;
  square_[i] = kSquareMemory * square_[i] + (1 - kSquareMemory) * slope * slope;
}

// Returns the next value of price `i`, which is counted in `scale`.
double PriceAscent::Move(double slope, double scale, double price, size_t i) {
  slope *= scale;
  if (price <= 0 && slope < 0) slope = 0;
  Follow(slope, i);
  if (square_[i] <= 0) return price;
  const double step = step_ * scale * slope_[i] / std::sqrt(square_[i]);
  return std::max(0.0, price + step);
}

}  // namespace stowage::policies
