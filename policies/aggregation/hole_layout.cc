#include "policies/aggregation/hole_layout.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace stowage::policies {
namespace {

// The most pairs of items that are compared.
constexpr size_t kMostWork = 100'000'000;

bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  for (const Span& x : a.spans) {
    for (const Span& y : b.spans) {
      if (x.begin < y.end && y.begin < x.end) return true;
    }
  }
  return false;
}

std::vector<size_t> OrderOfPlacement(const std::vector<LayoutItem>& items,
                                     const std::vector<int64_t>& offsets) {
  std::vector<size_t> order;
  for (size_t i = 0; i < items.size(); ++i) {
    if (offsets[i] == kNoAddress) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::tuple(!items[a].early, -items[a].size_bytes) <
           std::tuple(!items[b].early, -items[b].size_bytes);
  });
  return order;
}

// Returns the start of the first hole that is large enough.
int64_t LowestPlace(const std::vector<LayoutItem>& items,
                    const std::vector<int64_t>& offsets, size_t item) {
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t i = 0; i < items.size(); ++i) {
    if (offsets[i] == kNoAddress || !Coexist(items[i], items[item])) continue;
    taken.push_back({offsets[i], offsets[i] + items[i].size_bytes});
  }
  std::sort(taken.begin(), taken.end());
  int64_t top = 0;
  for (const auto& [begin, end] : taken) {
    if (begin - top >= items[item].size_bytes) break;
    top = std::max(top, end);
  }
  return top;
}

}  // namespace

std::optional<std::vector<int64_t>> LayOutInHoles(
    const std::vector<LayoutItem>& items, std::vector<int64_t> offsets,
    int64_t capacity_bytes) {
  const std::vector<size_t> order = OrderOfPlacement(items, offsets);
  if (!items.empty() && order.size() > kMostWork / items.size()) {
    return std::nullopt;
  }
  for (const size_t item : order) {
    const int64_t place = LowestPlace(items, offsets, item);
    if (place > capacity_bytes - items[item].size_bytes) return std::nullopt;
    offsets[item] = place;
  }
  return offsets;
}

}  // namespace stowage::policies
