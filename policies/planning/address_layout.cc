#include "policies/planning/address_layout.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "policies/planning/plan.h"

namespace stowage {
namespace {

constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

// Spans of boundaries into which the step is divided to find what coexists.
constexpr int kMaxBlocks = 128;

// Listed items that are looked at, and orders that are tried, at most, to
// repair an order of placement.
constexpr int64_t kRepairWork = 8'000'000;
constexpr int kRepairRounds = 200;

bool Overlap(const Span& a, const Span& b) {
  return a.begin < b.end && b.begin < a.end;
}

bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  return Overlap(a.spans[0], b.spans[0]) || Overlap(a.spans[0], b.spans[1]) ||
         Overlap(a.spans[1], b.spans[0]) || Overlap(a.spans[1], b.spans[1]);
}

struct Layout {
  std::vector<int64_t> offsets;
  int64_t peak = 0;
  int misfit = -1;  // position in the order at which it ended early
};

enum class Misfit {
  kStop,  // end early, with a peak above the capacity
  kOmit,  // give the item offset -1 and go on
};

enum class Fit {
  kSmallestGap,
  kLowest,  // the first gap that is large enough
};

// Places items one after the other, each into a gap that it fits into among
// those it coexists with, else above them all. Placed items are listed by block
// of boundaries, so that an item is compared with those that are alive about
// when it is.
class Packer {
 public:
  explicit Packer(const std::vector<LayoutItem>& items) : items_(items) {
    KernelIndex end = 1;
    for (const LayoutItem& item : items) {
      for (const Span& span : item.spans) end = std::max(end, span.end);
    }
    block_size_ = (end + kMaxBlocks - 1) / kMaxBlocks;
    blocks_.resize((end + block_size_ - 1) / block_size_);
    seen_by_.resize(items.size());
  }

  Layout Place(const std::vector<int>& order, int64_t capacity, Misfit misfit,
               Fit fit = Fit::kSmallestGap) {
    Layout layout;
    layout.offsets.assign(items_.size(), 0);
    placed_.clear();
    for (std::vector<int>& block : blocks_) block.clear();
    std::fill(seen_by_.begin(), seen_by_.end(), -1);
    for (size_t n = 0; n < order.size(); ++n) {
      const int index = order[n];
      const int64_t offset = FindOffset(index, layout.offsets, fit);
      const int64_t end = offset + items_[index].size_bytes;
      const bool fits = offset <= capacity - items_[index].size_bytes;
      if (!fits && misfit == Misfit::kOmit) {
        layout.offsets[index] = -1;
        continue;
      }
      layout.offsets[index] = offset;
      layout.peak = std::max(layout.peak, end);
      if (!fits) {
        layout.misfit = static_cast<int>(n);
        break;
      }
      placed_.push_back(index);
      ForBlocks(index, [&](std::vector<int>& b) { b.push_back(index); });
    }
    return layout;
  }

  int64_t work() const { return work_; }

 private:
  template <typename F>
  void ForBlocks(int index, F f) {
    for (const Span& span : items_[index].spans) {
      if (span.begin >= span.end) continue;
      const int last = (span.end - 1) / block_size_;
      for (int b = span.begin / block_size_; b <= last; ++b) f(blocks_[b]);
    }
  }

  int64_t FindOffset(int index, const std::vector<int64_t>& offsets, Fit fit) {
    const LayoutItem& item = items_[index];
    coexisting_.clear();
    const auto compare = [&](const std::vector<int>& others) {
      work_ += static_cast<int64_t>(others.size()) + 1;
      for (const int other : others) {
        if (seen_by_[other] == index) continue;
        seen_by_[other] = index;
        if (!Coexist(items_[other], item)) continue;
        coexisting_.push_back(
            {offsets[other], offsets[other] + items_[other].size_bytes});
      }
    };
    size_t listed = 0;
    ForBlocks(index, [&](const std::vector<int>& b) { listed += b.size(); });
    if (listed < placed_.size()) {
      ForBlocks(index, compare);
    } else {
      compare(placed_);  // long-lived: each of the others once
    }
    std::sort(coexisting_.begin(), coexisting_.end());
    int64_t top = 0;  // highest end so far
    int64_t best_offset = -1;
    int64_t best_gap = kUnlimited;
    for (const auto& [offset, end] : coexisting_) {
      const int64_t gap = offset - top;
      if (gap >= item.size_bytes && gap < best_gap) {
        best_gap = gap;
        best_offset = top;
        if (fit == Fit::kLowest) break;
      }
      top = std::max(top, end);
    }
    return best_offset >= 0 ? best_offset : top;
  }

  const std::vector<LayoutItem>& items_;
  KernelIndex block_size_ = 1;
  std::vector<int> placed_;
  std::vector<std::vector<int>> blocks_;
  std::vector<int> seen_by_;  // by item: the one it was last compared with
  std::vector<std::pair<int64_t, int64_t>> coexisting_;  // offset, end
  int64_t work_ = 0;
};

// Whether more bytes coexist than there are.
bool Overloaded(const std::vector<LayoutItem>& items, int64_t capacity) {
  std::vector<std::pair<KernelIndex, int64_t>> changes;
  for (const LayoutItem& item : items) {
    for (const Span& span : item.spans) {
      if (span.begin >= span.end) continue;
      changes.push_back({span.begin, item.size_bytes});
      changes.push_back({span.end, -item.size_bytes});
    }
  }
  std::sort(changes.begin(), changes.end());
  int64_t held = 0;
  for (const auto& [boundary, bytes] : changes) {
    held += bytes;
    if (held > capacity) return true;
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

// Places what did not fit earlier, again and again, until all fits.
std::optional<std::vector<int64_t>> Repair(const std::vector<LayoutItem>& items,
                                           int64_t capacity, Packer& packer) {
  const auto early =
      std::count_if(items.begin(), items.end(),
                    [](const LayoutItem& item) { return item.early; });
  std::vector<int> order = OrderBy(items, Scores().front());
  const int64_t last_work = packer.work() + kRepairWork;
  for (int round = 0; round < kRepairRounds && packer.work() < last_work;
       ++round) {
    Layout layout = packer.Place(order, capacity, Misfit::kStop, Fit::kLowest);
    if (layout.peak <= capacity) return std::move(layout.offsets);
    if (layout.misfit <= early) return std::nullopt;
    const auto half = (layout.misfit - early) / 2;
    const auto to = order.begin() + early + (round % 3 == 2 ? 0 : half);
    const auto misfit = order.begin() + layout.misfit;
    std::rotate(to, misfit, misfit + 1);
  }
  return std::nullopt;
}

}  // namespace

int64_t RoundUpToPlacement(int64_t size_bytes) {
  return (size_bytes + kPlacementAlignmentBytes - 1) /
         kPlacementAlignmentBytes * kPlacementAlignmentBytes;
}

std::optional<std::vector<int64_t>> LayOut(const std::vector<LayoutItem>& items,
                                           int64_t capacity_bytes) {
  if (Overloaded(items, capacity_bytes)) return std::nullopt;
  Packer packer(items);
  for (const Score& score : Scores()) {
    Layout layout =
        packer.Place(OrderBy(items, score), capacity_bytes, Misfit::kStop);
    if (layout.peak <= capacity_bytes) return std::move(layout.offsets);
  }
  return Repair(items, capacity_bytes, packer);
}

std::vector<int64_t> LayOutWhatFits(const std::vector<LayoutItem>& items,
                                    int64_t capacity_bytes) {
  const int64_t capacity = capacity_bytes == 0 ? kUnlimited : capacity_bytes;
  return Packer(items)
      .Place(OrderBy(items, Scores().front()), capacity, Misfit::kOmit)
      .offsets;
}

int64_t LayoutPeakBytes(const std::vector<LayoutItem>& items) {
  int64_t least = kUnlimited;
  Packer packer(items);
  for (const Score& score : Scores()) {
    least = std::min(
        least,
        packer.Place(OrderBy(items, score), least - 1, Misfit::kStop).peak);
  }
  return items.empty() ? 0 : least;
}

}  // namespace stowage
