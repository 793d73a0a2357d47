#include "client_sdk/runtime/plans/kind_forecast.h"

#include <cmath>
#include <unordered_map>

namespace stowage::runtime {

void KindForecast::Note(uint64_t kind) {
  was_right_ = Next() == kind;
  for (size_t i = past_.size(); i-- > 0;) {
    const int before = i > 0 ? past_[i - 1].alike : 0;
    past_[i].alike = past_[i].kind == kind ? before + 1 : 0;
  }
  past_.push_back({.kind = kind, .alike = 0});
  if (past_.size() > kRememberedSteps) past_.pop_front();
}

std::optional<uint64_t> KindForecast::Next() const {
  std::unordered_map<uint64_t, double> weights;
  std::optional<uint64_t> best;
  for (size_t i = 0; i + 1 < past_.size(); ++i) {
    if (past_[i].alike == 0) continue;
    const uint64_t follower = past_[i + 1].kind;
    weights[follower] += std::ldexp(1.0, past_[i].alike);
    if (!best || weights[follower] >= weights[*best]) best = follower;
  }
  return best;
}

}  // namespace stowage::runtime
