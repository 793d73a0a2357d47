#include "policies/layout/cheapest_offset.h"

#include <algorithm>
#include <cstddef>

namespace stowage::policies {

void CheapestOffset::Begin(int64_t bytes, int64_t capacity_bytes) {
  bytes_ = bytes;
  capacity_bytes_ = capacity_bytes;
  weight_at_0_ = 0;
  edges_.clear();
}

void CheapestOffset::AddObstacle(int64_t offset_bytes, int64_t end_bytes,
                                 double weight) {
  // It is in the way of offsets between these two, both excluded.
  const int64_t from = offset_bytes - bytes_;
  if (from < 0) weight_at_0_ += weight;
  if (from >= 0) edges_.push_back({from + 1, weight});
  if (end_bytes <= capacity_bytes_ - bytes_) {
    edges_.push_back({end_bytes, -weight});
  }
}

CheapestOffset::Place CheapestOffset::Find() {
  std::sort(edges_.begin(), edges_.end(), [](const Edge& a, const Edge& b) {
    return a.offset_bytes < b.offset_bytes;
  });
  Place cheapest{.weight = weight_at_0_};
  double weight = weight_at_0_;
  for (size_t i = 0; i < edges_.size(); ++i) {
    weight += edges_[i].weight;
    const bool last = i + 1 == edges_.size() ||
                      edges_[i + 1].offset_bytes > edges_[i].offset_bytes;
    if (!last || edges_[i].weight > 0 || weight >= cheapest.weight - 0.5) {
      continue;
    }
    cheapest = {edges_[i].offset_bytes, weight};
  }
  return cheapest;
}

}  // namespace stowage::policies
