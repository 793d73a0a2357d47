// Forms buckets for jobs whose graph changes with the size of the input (IV-E,
// dynamic graphs). Each bucket is profiled and planned once, so there are few.
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

// The most buckets, as in the paper.
inline constexpr int kMaxBuckets = 10;

struct Bucket {
  // The sizes from the smallest to the largest that was seen.
  int64_t smallest = 0;
  int64_t largest = 0;
  // The graph that the bucket is profiled with, an index into the sizes. It is
  // the largest one of the bucket, whose plan has room for the others.
  int representative = 0;
};

// Divides the inputs of a job into at most kMaxBuckets buckets of similar size,
// ascending. The widest ratio between the largest and the smallest size of a
// bucket is as small as can be. `sizes` are what decides about the graph, such
// as tokens in a batch or peak bytes; each is positive, and they may come in
// any order and repeat. INVALID_ARGUMENT names a size that is not positive, or
// says that there is none.
absl::StatusOr<std::vector<Bucket>> FindBuckets(
    const std::vector<int64_t>& sizes);

// Returns the bucket for an input of this size: the first that reaches up to
// it. An input larger than all that were seen has no bucket and gets -1:
// profile it.
int BucketOf(const std::vector<Bucket>& buckets, int64_t size);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_BUCKETS_H_
