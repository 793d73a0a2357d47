#include "policies/planning/address_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "policies/planning/layout_repair.h"
#include "policies/planning/plan.h"
#include "policies/planning/skyline.h"

namespace stowage {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Whether more bytes coexist than there are.
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
  for (const LayoutItem& item : items) scores.push_back(score(item));
  std::vector<int> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return scores[a] > scores[b]; });
  return order;
}

// Orders of placement, most often best first.
const std::vector<Score>& Scores() {
  static const auto* scores = new std::vector<Score>{
      [](const LayoutItem& item) { return item.size_bytes * Lifetime(item); },
      [](const LayoutItem& item) { return item.size_bytes; },
  };
  return *scores;
}

int64_t LeftOutBytes(const std::vector<LayoutItem>& items,
                     const std::vector<int64_t>& offsets) {
  int64_t bytes = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (offsets[i] < 0) bytes += items[i].size_bytes;
  }
  return bytes;
}

}  // namespace

std::vector<int64_t> LayOutMost(const std::vector<LayoutItem>& items,
                                int64_t capacity_bytes, int64_t repair_work) {
  Skyline skyline(items);
  std::vector<int64_t> best;
  int64_t left_out_bytes = kUnlimited;
  for (const Score& score : Scores()) {
    std::vector<int64_t> offsets =
        skyline.Pack(OrderBy(items, score), capacity_bytes);
    const int64_t bytes = LeftOutBytes(items, offsets);
    if (bytes >= left_out_bytes) continue;
    best = std::move(offsets);
    left_out_bytes = bytes;
    if (left_out_bytes == 0) return best;
  }
  if (!Overloaded(items, capacity_bytes)) {
    RepairLayout(items, capacity_bytes, repair_work, best);
  }
  return best;
}

std::optional<std::vector<int64_t>> LayOut(const std::vector<LayoutItem>& items,
                                           int64_t capacity_bytes) {
  if (Overloaded(items, capacity_bytes)) return std::nullopt;
  std::vector<int64_t> offsets = LayOutMost(items, capacity_bytes);
  const bool all =
      std::find(offsets.begin(), offsets.end(), -1) == offsets.end();
  if (!all) return std::nullopt;
  return offsets;
}

std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes) {
  const int64_t capacity = capacity_bytes == 0 ? kUnlimited : capacity_bytes;
  return Skyline(items).Pack(OrderBy(items, Scores().front()), capacity);
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

}  // namespace stowage
