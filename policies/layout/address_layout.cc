#include "policies/layout/address_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "policies/layout/layout_repair.h"
#include "policies/layout/skyline.h"
#include "policies/plan/plan.h"

namespace stowage::policies {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// The number of orders that are tried to place more of many items, if at most
// this share of the capacity is left out.
constexpr size_t kFewItems = 500;
constexpr int kReorders = 4;
constexpr double kReorderable = 0.02;

// Returns whether more bytes coexist than there are.
bool Overloaded(const std::vector<LayoutItem>& items, int64_t capacity) {
  KernelIndex end = 0;
  for (const LayoutItem& item : items) {
    for (const Span& span : item.spans) end = std::max(end, span.end);
  }
  std::vector<int64_t> change_bytes(end + 1);
  for (const LayoutItem& item : items) {
    for (const Span& span : item.spans) {
      if (span.begin >= span.end) continue;
      change_bytes[span.begin] += item.size_bytes;
      change_bytes[span.end] -= item.size_bytes;
    }
  }
  int64_t held_bytes = 0;
  for (const int64_t bytes : change_bytes) {
    held_bytes += bytes;
    if (held_bytes > capacity) return true;
  }
  return false;
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
  scores.reserve(items.size());
  for (const LayoutItem& item : items) scores.push_back(score(item));
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

// Returns orders of placement, the one that most often is best first.
const std::vector<Score>& Scores() {
  static const auto* scores = new std::vector<Score>{
      [](const LayoutItem& item) { return item.size_bytes * Lifetime(item); },
      [](const LayoutItem& item) { return item.size_bytes; },
  };
  return *scores;
}

struct Layout {
  std::vector<int> order;
  std::vector<int64_t> offsets;
  int64_t left_out_bytes = 0;
};

Layout PackInOrder(const std::vector<LayoutItem>& items, std::vector<int> order,
                   int64_t capacity, Skyline& skyline) {
  Layout layout{.order = std::move(order)};
  layout.offsets = skyline.Pack(layout.order, capacity);
  for (size_t i = 0; i < items.size(); ++i) {
    if (layout.offsets[i] < 0) layout.left_out_bytes += items[i].size_bytes;
  }
  return layout;
}

// Places the items that were left out before all else, again and again, until
// none is.
void Reorder(const std::vector<LayoutItem>& items, int64_t capacity,
             Skyline& skyline, Layout& best) {
  const auto most_bytes =
      static_cast<int64_t>(kReorderable * static_cast<double>(capacity));
  Layout layout = best;
  for (int n = 0; n < kReorders && best.left_out_bytes > 0; ++n) {
    if (best.left_out_bytes > most_bytes) return;
    std::stable_partition(layout.order.begin(), layout.order.end(),
                          [&](int item) { return layout.offsets[item] < 0; });
    layout = PackInOrder(items, std::move(layout.order), capacity, skyline);
    if (layout.left_out_bytes < best.left_out_bytes) best = layout;
  }
}

}  // namespace

std::vector<int64_t> LayOutMost(const std::vector<LayoutItem>& items,
                                int64_t capacity_bytes, int64_t repair_work,
                                const Cancellation& cancellation) {
  Skyline skyline(items, cancellation);
  Layout best;
  for (const Score& score : Scores()) {
    Layout layout =
        PackInOrder(items, OrderBy(items, score), capacity_bytes, skyline);
    const bool better =
        best.offsets.empty() || layout.left_out_bytes < best.left_out_bytes;
    if (better) best = std::move(layout);
    if (best.left_out_bytes == 0) return std::move(best.offsets);
  }
  if (!Overloaded(items, capacity_bytes)) {
    if (items.size() > kFewItems) Reorder(items, capacity_bytes, skyline, best);
    RepairLayout(items, capacity_bytes, repair_work, best.offsets,
                 cancellation);
  }
  return std::move(best.offsets);
}

std::optional<std::vector<int64_t>> LayOut(const std::vector<LayoutItem>& items,
                                           int64_t capacity_bytes,
                                           const Cancellation& cancellation) {
  if (Overloaded(items, capacity_bytes)) return std::nullopt;
  std::vector<int64_t> offsets =
      LayOutMost(items, capacity_bytes, kRepairWork, cancellation);
  const bool all =
      std::find(offsets.begin(), offsets.end(), -1) == offsets.end();
  if (!all) return std::nullopt;
  return offsets;
}

std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes,
                                    const Cancellation& cancellation) {
  const int64_t capacity = capacity_bytes == 0 ? kUnlimited : capacity_bytes;
  return Skyline(items, cancellation)
      .Pack(OrderBy(items, Scores().front()), capacity);
}

int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items) {
  int64_t least = items.empty() ? 0 : kUnlimited;
  Skyline skyline(items);
  for (const Score& score : Scores()) {
    const std::vector<int64_t> offsets =
        skyline.Pack(OrderBy(items, score), kUnlimited);
    int64_t peak = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      peak = std::max(peak, offsets[i] + items[i].size_bytes);
    }
    least = std::min(least, peak);
  }
  return least;
}

}  // namespace stowage::policies
