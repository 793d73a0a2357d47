#include "policies/search/annealing/place_index.h"

#include <algorithm>

#include "absl/algorithm/container.h"

namespace stowage::policies {
namespace {

// The number of boundaries of a leaf.
constexpr KernelIndex kLeaf = 8;

}  // namespace

PlaceIndex::PlaceIndex(KernelIndex kernel_count) : kernels_(kernel_count) {
  while (leaves_ * kLeaf <= kernel_count) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
}

template <typename Visit>
void PlaceIndex::VisitNodes(const Holding& holding, Visit visit) {
  int begin = leaves_ + holding.begin / kLeaf;
  int end = leaves_ + (holding.end - 1) / kLeaf + 1;
  for (; begin < end; begin /= 2, end /= 2) {
    if (begin % 2 == 1) visit(nodes_[begin++]);
    if (end % 2 == 1) visit(nodes_[--end]);
  }
}

void PlaceIndex::Hold(const Holding& holding) {
  if (IsAlways(holding)) {
    always_is_old_ = true;
    const auto at = absl::c_lower_bound(
        residents_, holding, [](const Holding& a, const Holding& b) {
          return a.offset_bytes < b.offset_bytes;
        });
    residents_.insert(at, holding);
    return;
  }
  VisitNodes(holding, [&](std::vector<Holding>& holdings) {
    holdings.push_back(holding);
  });
}

void PlaceIndex::Release(const Holding& holding) {
  if (IsAlways(holding)) {
    always_is_old_ = true;
    std::erase_if(residents_, [&](const Holding& other) {
      return other.tensor == holding.tensor;
    });
    return;
  }
  VisitNodes(holding, [&](std::vector<Holding>& holdings) {
    const auto at = absl::c_find_if(holdings, [&](const Holding& other) {
      return other.tensor == holding.tensor && other.begin == holding.begin;
    });
    *at = holdings.back();
    holdings.pop_back();
  });
}

const std::vector<Holding>& PlaceIndex::Always() {
  if (!always_is_old_) return always_;
  always_is_old_ = false;
  always_.clear();
  for (const Holding& resident : residents_) {
    if (always_.empty() || always_.back().end_bytes < resident.offset_bytes) {
      always_.push_back(resident);
      always_.back().tensor = -1;
    }
    always_.back().end_bytes =
        std::max(always_.back().end_bytes, resident.end_bytes);
  }
  return always_;
}

void PlaceIndex::FindObstacles(KernelIndex begin, KernelIndex end, size_t most,
                               std::vector<Holding>& obstacles) const {
  if (begin >= end) return;
  int first = leaves_ + begin / kLeaf;
  int last = leaves_ + (end - 1) / kLeaf;
  for (; first > 0; first /= 2, last /= 2) {
    for (int n = first; n <= last; ++n) {
      for (const Holding& other : nodes_[n]) {
        if (other.end <= begin || end <= other.begin) continue;
        obstacles.push_back(other);
        if (obstacles.size() > most) return;
      }
    }
  }
}

}  // namespace stowage::policies
