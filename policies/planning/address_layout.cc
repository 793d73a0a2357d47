#include "policies/planning/address_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>

#include "policies/planning/plan.h"

namespace stowage {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

struct Placed {
  int64_t offset = 0;
  int64_t end = 0;
  const LayoutItem* item = nullptr;
};

bool Overlap(const Span& a, const Span& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  return Overlap(a.spans[0], b.spans[0]) || Overlap(a.spans[0], b.spans[1]) ||
         Overlap(a.spans[1], b.spans[0]) || Overlap(a.spans[1], b.spans[1]);
}

// The smallest gap that `item` fits into among the placed items it coexists
// with, else the place above them all. `placed` is sorted by offset.
int64_t BestOffset(const std::vector<Placed>& placed, const LayoutItem& item) {
  int64_t top = 0;  // highest end so far
  int64_t best_offset = -1;
  int64_t best_gap = kUnlimited;
  for (const Placed& other : placed) {
    if (!Coexist(*other.item, item)) continue;
    const int64_t gap = other.offset - top;
    if (gap >= item.size_bytes && gap < best_gap) {
      best_gap = gap;
      best_offset = top;
    }
    top = std::max(top, other.end);
  }
  return best_offset >= 0 ? best_offset : top;
}

struct Layout {
  std::vector<int64_t> offsets;
  int64_t peak = 0;
};

enum class Misfit {
  kStop,  // end early, with a peak above the capacity
  kOmit,  // give the item offset -1 and go on
};

Layout PlaceInOrder(const std::vector<LayoutItem>& items,
                    const std::vector<int>& order, int64_t capacity,
                    Misfit misfit) {
  Layout layout;
  layout.offsets.assign(items.size(), 0);
  std::vector<Placed> placed;
  placed.reserve(items.size());
  for (int index : order) {
    const LayoutItem& item = items[index];
    const int64_t offset = BestOffset(placed, item);
    const bool fits = offset <= capacity - item.size_bytes;
    if (!fits && misfit == Misfit::kOmit) {
      layout.offsets[index] = -1;
      continue;
    }
    layout.offsets[index] = offset;
    const Placed entry{offset, offset + item.size_bytes, &item};
    layout.peak = std::max(layout.peak, entry.end);
    if (!fits) break;
    const auto at = std::upper_bound(
        placed.begin(), placed.end(), entry,
        [](const Placed& a, const Placed& b) { return a.offset < b.offset; });
    placed.insert(at, entry);
  }
  return layout;
}

double Lifetime(const LayoutItem& item) {
  double length = 0;
  for (const Span& span : item.spans) {
    length += std::max(0, span.end - span.begin);
  }
  return length;
}

using Score = std::function<double(const LayoutItem&)>;

std::vector<int> OrderBy(const std::vector<LayoutItem>& items,
                         const Score& score) {
  std::vector<double> scores;
  for (const LayoutItem& item : items) scores.push_back(score(item));
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(!items[a].early, -scores[a]) <
           std::tuple(!items[b].early, -scores[b]);
  });
  return order;
}

// Orders of placement, most often best first.
const std::vector<Score>& Scores() {
  static const auto* scores = new std::vector<Score>{
      [](const LayoutItem& item) { return item.size_bytes; },
      [](const LayoutItem& item) { return item.size_bytes * Lifetime(item); },
      [](const LayoutItem& item) { return Lifetime(item); },
      [](const LayoutItem& item) { return -item.spans[0].begin; },
  };
  return *scores;
}

}  // namespace

int64_t RoundUpToPlacement(int64_t size_bytes) {
  return (size_bytes + kPlacementAlignmentBytes - 1) /
         kPlacementAlignmentBytes * kPlacementAlignmentBytes;
}

std::optional<std::vector<int64_t>> LayOut(const std::vector<LayoutItem>& items,
                                           int64_t capacity_bytes) {
  for (const Score& score : Scores()) {
    Layout layout = PlaceInOrder(items, OrderBy(items, score), capacity_bytes,
                                 Misfit::kStop);
    if (layout.peak <= capacity_bytes) return std::move(layout.offsets);
  }
  return std::nullopt;
}

std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes) {
  const int64_t capacity = capacity_bytes == 0 ? kUnlimited : capacity_bytes;
  return PlaceInOrder(items, OrderBy(items, Scores().front()), capacity,
                      Misfit::kOmit)
      .offsets;
}

int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items) {
  int64_t least = kUnlimited;
  for (const Score& score : Scores()) {
    least = std::min(least, PlaceInOrder(items, OrderBy(items, score),
                                         least - 1, Misfit::kStop)
                                .peak);
  }
  return items.empty() ? 0 : least;
}

}  // namespace stowage
