#include "policies/bound/tier_charges.h"

#include <algorithm>

namespace stowage::policies {

void TierCharges::Start(const std::vector<MomentPrices>& lanes,
                        const std::vector<double>& copy_ns) {
  tiers_.resize(copy_ns.size());
  for (size_t slower = 0; slower < copy_ns.size(); ++slower) {
    tiers_[slower].lane = &lanes[2 * slower + direction_];
    tiers_[slower].charge.Start(copy_ns[slower]);
  }
}

void TierCharges::Add(int moment) {
  for (Tier& tier : tiers_) {
    const double price = tier.lane->price[moment];
    if (!tier.charge.Counts(price)) continue;
    tier.charge.Add(price, (*fast_ns_)[moment]);
    tier.charge.Add(tier.lane->over_price[moment],
                    std::numeric_limits<double>::infinity());
  }
}

int TierCharges::First(int begin, int end) const {
  for (const Tier& tier : tiers_) {
    end = FirstBelow(*tier.lane, tier.charge.highest_price(), begin, end);
  }
  return end;
}

int TierCharges::Last(int begin, int end) const {
  for (const Tier& tier : tiers_) {
    begin = LastBelow(*tier.lane, tier.charge.highest_price(), begin, end) + 1;
  }
  return begin - 1;
}

bool TierCharges::AreFree() const {
  return std::all_of(tiers_.begin(), tiers_.end(),
                     [](const Tier& tier) { return tier.charge.cost() <= 0; });
}

LifeCopy TierCharges::Cheapest(int begin, int end) const {
  LifeCopy best;
  for (size_t slower = 0; slower < tiers_.size(); ++slower) {
    const double cost = tiers_[slower].charge.cost();
    if (cost < best.cost) best = {cost, begin, end, static_cast<int>(slower)};
  }
  return best;
}

}  // namespace stowage::policies
