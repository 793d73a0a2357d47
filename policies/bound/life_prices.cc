#include "policies/bound/life_prices.h"

#include <algorithm>

namespace stowage::policies {
namespace {

constexpr int kGroup = MomentPrices::kGroup;

}  // namespace

void GroupMoments(MomentPrices& lane) {
  lane.least.clear();
  for (size_t begin = 0; begin < lane.price.size(); begin += kGroup) {
    const size_t end = std::min(begin + kGroup, lane.price.size());
    lane.least.push_back(*std::min_element(lane.price.begin() + begin,
                                           lane.price.begin() + end));
  }
}

int FirstBelow(const MomentPrices& lane, double limit, int begin, int end) {
  for (; begin < end && begin % kGroup != 0; ++begin) {
    if (lane.price[begin] < limit) return begin;
  }
  while (begin < end && lane.least[begin / kGroup] >= limit) begin += kGroup;
  for (; begin < end; ++begin) {
    if (lane.price[begin] < limit) return begin;
  }
  return end;
}

int LastBelow(const MomentPrices& lane, double limit, int begin, int end) {
  for (; end > begin && end % kGroup != 0; --end) {
    if (lane.price[end - 1] < limit) return end - 1;
  }
  while (end > begin && lane.least[end / kGroup - 1] >= limit) end -= kGroup;
  for (; end > begin; --end) {
    if (lane.price[end - 1] < limit) return end - 1;
  }
  return begin - 1;
}

}  // namespace stowage::policies
