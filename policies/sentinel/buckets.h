// Buckets for jobs whose graph changes with the size of the input (IV-E,
// dynamic graphs): each bucket is profiled and planned once, so there are few.
//
//   std::vector<Bucket> buckets = *FindBuckets(sizes);   // sizes[i] of graph i
//   int bucket = BucketOf(buckets, size);
//
// Pure functions.
#ifndef STOWAGE_POLICIES_SENTINEL_BUCKETS_H_
#define STOWAGE_POLICIES_SENTINEL_BUCKETS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"

namespace stowage::policies {

// The paper's bound.
inline constexpr int kMaxBuckets = 10;

struct Bucket {
  // Sizes from the smallest to the largest that was seen.
  int64_t smallest = 0;
  int64_t largest = 0;
  // The graph that the bucket is profiled with, an index into the sizes: its
  // largest, whose plan has room for the others'.
  int representative = 0;
};

// Divides the inputs of a job into at most kMaxBuckets buckets of similar size,
// ascending: the widest ratio between the largest and the smallest size of a
// bucket is as small as can be. `sizes`: what decides about the graph, such as
// tokens in a batch, or peak bytes; each positive, in any order, repeats
// allowed. INVALID_ARGUMENT names a size that is not positive, or says that
// there is none.
absl::StatusOr<std::vector<Bucket>> FindBuckets(
    const std::vector<int64_t>& sizes);

// The bucket for an input of this size: the first that reaches up to it. What
// is larger than all that was seen has no bucket and gets -1: profile it.
int BucketOf(const std::vector<Bucket>& buckets, int64_t size);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_BUCKETS_H_
