#include "policies/search/absences/occupancy.h"

#include <algorithm>
#include <limits>

namespace stowage::policies {
namespace {

// Below every number of bytes, and far from where adding bytes overflows.
constexpr int64_t kNone = std::numeric_limits<int64_t>::min() / 4;

}  // namespace

Occupancy::Occupancy(const std::vector<int64_t>& bytes)
    : count_(static_cast<KernelIndex>(bytes.size())) {
  // A leaf on either side of the boundaries' simplifies the loops.
  while (leaves_ < bytes.size() + 2) leaves_ *= 2;
  added_.resize(2 * leaves_);
  highest_.assign(2 * leaves_, kNone);
  std::copy(bytes.begin(), bytes.end(), highest_.begin() + leaves_ + 1);
  for (size_t node = leaves_ - 1; node > 0; --node) Update(node);
}

void Occupancy::Update(size_t node) {
  highest_[node] =
      added_[node] + std::max(highest_[2 * node], highest_[2 * node + 1]);
}

void Occupancy::Add(KernelIndex begin, KernelIndex end, int64_t bytes) {
  if (begin >= end) return;
  if (begin >= count_) return Add(begin - count_, end - count_, bytes);
  if (end > count_) {
    AddWithin(0, end - count_, bytes);
    end = count_;
  }
  AddWithin(begin, end, bytes);
}

int64_t Occupancy::Highest(KernelIndex begin, KernelIndex end) const {
  if (begin >= end) return 0;
  if (begin >= count_) return Highest(begin - count_, end - count_);
  int64_t highest = HighestWithin(begin, std::min(end, count_));
  if (end > count_) {
    highest = std::max(highest, HighestWithin(0, end - count_));
  }
  return highest;
}

int64_t Occupancy::At(KernelIndex boundary) const {
  size_t node = leaves_ + 1 + boundary % count_;
  int64_t bytes = highest_[node];
  while (node /= 2) bytes += added_[node];
  return bytes;
}

KernelIndex Occupancy::HighestBoundary() const {
  size_t node = 1;
  while (node < leaves_) {
    node *= 2;
    if (highest_[node] < highest_[node + 1]) ++node;
  }
  return static_cast<KernelIndex>(node - leaves_) - 1;
}

// Climbs from the leaves outside the range on either side; their siblings that
// lie between them make up the range.
void Occupancy::AddWithin(KernelIndex begin, KernelIndex end, int64_t bytes) {
  size_t left = leaves_ + begin;
  size_t right = leaves_ + 1 + end;
  while (left / 2 != right / 2) {
    for (const size_t inside :
         {left % 2 == 0 ? left + 1 : 0, right % 2 == 1 ? right - 1 : 0}) {
      added_[inside] += bytes;
      highest_[inside] += bytes;
    }
    Update(left /= 2);
    Update(right /= 2);
  }
  while (left /= 2) {
    const int64_t before = highest_[left];
    Update(left);
    // Nothing changes above a node that has not changed.
    if (highest_[left] == before) return;
  }
}

int64_t Occupancy::HighestWithin(KernelIndex begin, KernelIndex end) const {
  size_t left = leaves_ + begin;
  size_t right = leaves_ + 1 + end;
  int64_t below_left = kNone, below_right = kNone;
  while (left / 2 != right / 2) {
    if (left % 2 == 0) below_left = std::max(below_left, highest_[left + 1]);
    if (right % 2 == 1) {
      below_right = std::max(below_right, highest_[right - 1]);
    }
    below_left += added_[left /= 2];
    below_right += added_[right /= 2];
  }
  int64_t highest = std::max(below_left, below_right);
  while (left /= 2) highest += added_[left];
  return highest;
}

}  // namespace stowage::policies
