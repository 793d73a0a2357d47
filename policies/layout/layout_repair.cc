#include "policies/layout/layout_repair.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

#include "policies/layout/cheapest_offset.h"

namespace stowage::policies {
namespace {

bool Meet(const Span& a, const Span& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

bool Coexist(const LayoutItem& a, const LayoutItem& b) {
  return Meet(a.spans[0], b.spans[0]) || Meet(a.spans[0], b.spans[1]) ||
         Meet(a.spans[1], b.spans[0]) || Meet(a.spans[1], b.spans[1]);
}

class Repairer {
 public:
  Repairer(const std::vector<LayoutItem>& items, int64_t capacity_bytes,
           std::vector<int64_t>& offsets)
      : items_(items),
        capacity_bytes_(capacity_bytes),
        best_(offsets),
        offsets_(offsets),
        neighbours_(items.size()),
        weights_(items.size()) {
    for (size_t i = 0; i < items.size(); ++i) {
      weights_[i] = static_cast<double>(items[i].size_bytes);
      if (offsets[i] < 0) LeaveOut(static_cast<int>(i));
    }
    best_left_out_bytes_ = left_out_bytes_;
  }

  void Run(int64_t work, const Cancellation& cancellation) {
    while (!waiting_.empty() && work > 0 && !cancellation.IsCancelled()) {
      const int item = waiting_.top().second;
      waiting_.pop();
      work -= static_cast<int64_t>(Neighbours(item).size());
      if (items_[item].size_bytes <= capacity_bytes_) Place(item);
      if (left_out_bytes_ >= best_left_out_bytes_) continue;
      best_left_out_bytes_ = left_out_bytes_;
      best_ = offsets_;
    }
  }

 private:
  const std::vector<int>& Neighbours(int item) {
    std::vector<int>& neighbours = neighbours_[item];
    if (!neighbours.empty()) return neighbours;
    for (size_t i = 0; i < items_.size(); ++i) {
      if (Coexist(items_[i], items_[item])) {
        neighbours.push_back(static_cast<int>(i));
      }
    }
    return neighbours;
  }

  void LeaveOut(int item) {
    offsets_[item] = -1;
    left_out_bytes_ += items_[item].size_bytes;
    waiting_.push({items_[item].size_bytes, item});
  }

  void Place(int item) {
    const int64_t bytes = items_[item].size_bytes;
    const int64_t offset = CheapestOffsetOf(item);
    for (const int other : Neighbours(item)) {
      if (other == item || offsets_[other] < 0) continue;
      if (offsets_[other] < offset + bytes &&
          offset < offsets_[other] + items_[other].size_bytes) {
        LeaveOut(other);
        weights_[other] += static_cast<double>(items_[other].size_bytes);
      }
    }
    offsets_[item] = offset;
    left_out_bytes_ -= bytes;
  }

  // Returns the offset at which the items that have to give way weigh least.
  int64_t CheapestOffsetOf(int item) {
    search_.Begin(items_[item].size_bytes, capacity_bytes_);
    for (const int other : Neighbours(item)) {
      if (other == item || offsets_[other] < 0) continue;
      search_.AddObstacle(offsets_[other],
                          offsets_[other] + items_[other].size_bytes,
                          weights_[other]);
    }
    return search_.Find().offset_bytes;
  }

  const std::vector<LayoutItem>& items_;
  const int64_t capacity_bytes_;
  std::vector<int64_t>& best_;
  int64_t best_left_out_bytes_ = 0;
  std::vector<int64_t> offsets_;
  int64_t left_out_bytes_ = 0;
  std::priority_queue<std::pair<int64_t, int>> waiting_;  // largest first
  std::vector<std::vector<int>> neighbours_;  // by item, empty: not known yet
  std::vector<double> weights_;
  CheapestOffset search_;
};

}  // namespace

void RepairLayout(const std::vector<LayoutItem>& items, int64_t capacity_bytes,
                  int64_t work, std::vector<int64_t>& offsets,
                  const Cancellation& cancellation) {
  Repairer(items, capacity_bytes, offsets).Run(work, cancellation);
}

}  // namespace stowage::policies
