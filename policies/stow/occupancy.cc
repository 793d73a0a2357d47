#include "policies/stow/occupancy.h"

#include <algorithm>
#include <limits>

namespace stowage {

Occupancy::Occupancy(const std::vector<int64_t>& bytes)
    : count_(static_cast<KernelIndex>(bytes.size())),
      added_(4 * bytes.size()),
      highest_(4 * bytes.size()) {
  Build(1, 0, count_, bytes);
}

void Occupancy::Build(int node, int low, int high,
                      const std::vector<int64_t>& bytes) {
  if (high - low == 1) {
    added_[node] = highest_[node] = bytes[low];
    return;
  }
  const int middle = low + (high - low) / 2;
  Build(2 * node, low, middle, bytes);
  Build(2 * node + 1, middle, high, bytes);
  highest_[node] = std::max(highest_[2 * node], highest_[2 * node + 1]);
}

void Occupancy::Add(KernelIndex begin, KernelIndex end, int64_t bytes) {
  if (begin >= end) return;
  if (begin >= count_) return Add(begin - count_, end - count_, bytes);
  if (end > count_) {
    AddWithin(1, 0, count_, 0, end - count_, bytes);
    end = count_;
  }
  AddWithin(1, 0, count_, begin, end, bytes);
}

int64_t Occupancy::Highest(KernelIndex begin, KernelIndex end) const {
  if (begin >= end) return 0;
  if (begin >= count_) return Highest(begin - count_, end - count_);
  int64_t highest = HighestWithin(1, 0, count_, begin, std::min(end, count_));
  if (end > count_) {
    highest = std::max(highest, HighestWithin(1, 0, count_, 0, end - count_));
  }
  return highest;
}

int64_t Occupancy::At(KernelIndex boundary) const {
  return Highest(boundary, boundary + 1);
}

void Occupancy::AddWithin(int node, int low, int high, int begin, int end,
                          int64_t bytes) {
  if (begin <= low && high <= end) {
    added_[node] += bytes;
    highest_[node] += bytes;
    return;
  }
  const int middle = low + (high - low) / 2;
  if (begin < middle) AddWithin(2 * node, low, middle, begin, end, bytes);
  if (end > middle) AddWithin(2 * node + 1, middle, high, begin, end, bytes);
  highest_[node] =
      added_[node] + std::max(highest_[2 * node], highest_[2 * node + 1]);
}

int64_t Occupancy::HighestWithin(int node, int low, int high, int begin,
                                 int end) const {
  if (begin <= low && high <= end) return highest_[node];
  const int middle = low + (high - low) / 2;
  int64_t highest = std::numeric_limits<int64_t>::min();
  if (begin < middle) {
    highest = HighestWithin(2 * node, low, middle, begin, end);
  }
  if (end > middle) {
    highest = std::max(highest,
                       HighestWithin(2 * node + 1, middle, high, begin, end));
  }
  return highest + added_[node];
}

}  // namespace stowage
