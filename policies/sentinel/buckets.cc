#include "policies/sentinel/buckets.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace stowage::policies {
namespace {

// Returns buckets that begin at the smallest size not yet covered and reach up
// to `ratio` times it.
std::vector<Bucket> Cover(const std::vector<int64_t>& sizes,
                          const std::vector<int>& order, double ratio) {
  std::vector<Bucket> buckets;
  for (int i : order) {
    const int64_t size = sizes[i];
    const bool similar =
        !buckets.empty() &&
        static_cast<double>(size) <=
            ratio * static_cast<double>(buckets.back().smallest);
    if (!similar) buckets.push_back({.smallest = size});
    if (size > buckets.back().largest) {
      buckets.back().largest = size;
      buckets.back().representative = i;
    }
  }
  return buckets;
}

// Returns indices ascending by size, the first among equals first.
std::vector<int> OrderBySize(const std::vector<int64_t>& sizes) {
  std::vector<int> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return sizes[a] < sizes[b]; });
  return order;
}

}  // namespace

absl::StatusOr<std::vector<Bucket>> FindBuckets(
    const std::vector<int64_t>& sizes) {
  if (sizes.empty()) {
    return absl::InvalidArgumentError(
        "there are no graphs to put into buckets; profile at least one");
  }
  const std::vector<int> order = OrderBySize(sizes);
  if (sizes[order.front()] <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("graph ", order.front(), " has the size ",
                     sizes[order.front()], "; sizes have to be positive"));
  }
  // Halves the interval of ratios until doubles cannot tell its ends apart.
  double low = 1;
  double high = static_cast<double>(sizes[order.back()]) /
                static_cast<double>(sizes[order.front()]);
  std::vector<Bucket> best = Cover(sizes, order, low);
  if (best.size() <= kMaxBuckets) return best;
  best = Cover(sizes, order, high * 1.000001);
  for (int i = 0; i < 64; ++i) {
    const double middle = low + (high - low) / 2;
    std::vector<Bucket> buckets = Cover(sizes, order, middle);
    if (buckets.size() <= kMaxBuckets) {
      best = std::move(buckets);
      high = middle;
    } else {
      low = middle;
    }
  }
  return best;
}

int BucketOf(const std::vector<Bucket>& buckets, int64_t size) {
  for (size_t i = 0; i < buckets.size(); ++i) {
    if (size <= buckets[i].largest) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace stowage::policies
