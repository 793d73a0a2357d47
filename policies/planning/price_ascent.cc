#include "policies/planning/price_ascent.h"

#include <algorithm>
#include <cmath>

namespace stowage {
namespace {

// Of the step's size.
constexpr double kLastStep = 1e-4;

// Evaluations that gain less than this share before steps are halved.
constexpr int kPatience = 25;
constexpr double kGain = 1e-4;

// How much of an average stays from one evaluation to the next.
constexpr double kSlopeMemory = 0.9;
constexpr double kSquareMemory = 0.97;

// Keeps sums of prices below 1 when they are rounded.
constexpr double kRounding = 1e-9;

// Onto prices that leave kernels no negative share.
void LimitLanes(BoundPrices& prices) {
  for (std::vector<double>& lanes : prices.lane) {
    double sum = 0;
    for (const double price : lanes) sum += price;
    if (sum <= 1) continue;
    for (double& price : lanes) price /= sum * (1 + kRounding);
  }
}

}  // namespace

PriceAscent::PriceAscent(BoundRelaxation& relaxation, const BoundPrices& start,
                         const AscentSteps& steps)
    : relaxation_(relaxation),
      room_scales_(relaxation.RoomScales()),
      over_scale_(steps.over_share),
      prices_(start),
      best_(start),
      step_(steps.first) {
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
    if (++stuck_ > kPatience) {
      Restart();
    } else {
      Step(value.ascent);
    }
  }
}

void PriceAscent::Restart() {
  step_ *= 0.7;
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
    for (size_t l = 0; l < prices_.lane[b].size(); ++l) {
      prices_.lane[b][l] = Move(ascent.lane[b][l], 1, prices_.lane[b][l], i++);
    }
  }
  for (size_t s = 0; s < prices_.over.size(); ++s) {
    for (size_t l = 0; l < prices_.over[s].size(); ++l) {
      prices_.over[s][l] =
          Move(ascent.over[s][l], over_scale_, prices_.over[s][l], i++);
    }
  }
  LimitLanes(prices_);
}

// The next value of price `i`, which is counted in `scale`.
double PriceAscent::Move(double slope, double scale, double price, size_t i) {
  slope *= scale;
  if (price <= 0 && slope < 0) slope = 0;
  slope_[i] = kSlopeMemory * slope_[i] + (1 - kSlopeMemory) * slope;
  square_[i] = kSquareMemory * square_[i] + (1 - kSquareMemory) * slope * slope;
  if (square_[i] <= 0) return price;
  const double step = step_ * scale * slope_[i] / std::sqrt(square_[i]);
  return std::max(0.0, price + step);
}

}  // namespace stowage
