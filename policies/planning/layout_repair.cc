#include "policies/planning/layout_repair.h"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <utility>

namespace stowage {
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

  void Run(int64_t work) {
    while (!waiting_.empty() && work > 0) {
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
  // A place that an item keeps others from, or stops keeping them from.
  struct Edge {
    int64_t offset_bytes = 0;
    double weight = 0;
  };

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
    const int64_t offset = CheapestOffset(item);
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

  // The lowest offset at which what has to give way weighs least.
  int64_t CheapestOffset(int item) {
    const int64_t bytes = items_[item].size_bytes;
    edges_.clear();
    double weight = 0;
    for (const int other : Neighbours(item)) {
      if (other == item || offsets_[other] < 0) continue;
      // In the way of offsets between these two, both excluded.
      const int64_t from = offsets_[other] - bytes;
      const int64_t to = offsets_[other] + items_[other].size_bytes;
      if (from < 0) weight += weights_[other];
      if (from >= 0) edges_.push_back({from + 1, weights_[other]});
      if (to <= capacity_bytes_ - bytes) {
        edges_.push_back({to, -weights_[other]});
      }
    }
    std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
      return a.offset_bytes < b.offset_bytes;
    });
    int64_t cheapest = 0;
    double least = weight;
    for (size_t i = 0; i < edges_.size(); ++i) {
      weight += edges_[i].weight;
      const bool last = i + 1 == edges_.size() ||
                        edges_[i + 1].offset_bytes > edges_[i].offset_bytes;
      if (!last || edges_[i].weight > 0 || weight >= least - 0.5) continue;
      cheapest = edges_[i].offset_bytes;
      least = weight;
    }
    return cheapest;
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
  std::vector<Edge> edges_;
};

}  // namespace

void RepairLayout(const std::vector<LayoutItem>& items, int64_t capacity_bytes,
                  int64_t work, std::vector<int64_t>& offsets) {
  Repairer(items, capacity_bytes, offsets).Run(work);
}

}  // namespace stowage
