#include "policies/sentinel/buckets.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

TEST(BucketsTest, FewSizesHaveABucketEach) {
  const auto buckets = FindBuckets({300, 100, 200, 100});
  ASSERT_TRUE(buckets.ok());
  ASSERT_EQ(buckets->size(), 3);
  EXPECT_EQ((*buckets)[0].largest, 100);
  EXPECT_EQ((*buckets)[0].representative, 1);
  EXPECT_EQ((*buckets)[2].representative, 0);
}

TEST(BucketsTest, ManySizesShareTenBucketsOfSimilarOnes) {
  std::vector<int64_t> sizes(500);
  std::iota(sizes.begin(), sizes.end(), 100);
  const auto buckets = FindBuckets(sizes);
  ASSERT_TRUE(buckets.ok());
  EXPECT_EQ(buckets->size(), kMaxBuckets);
  int64_t next = 100;
  for (const Bucket& bucket : *buckets) {
    EXPECT_EQ(bucket.smallest, next);
    EXPECT_EQ(sizes[bucket.representative], bucket.largest);
    // The tenth root of 6, within a size.
    EXPECT_LT(static_cast<double>(bucket.largest) / bucket.smallest, 1.21);
    next = bucket.largest + 1;
  }
  EXPECT_EQ(next, 600);
}

TEST(BucketsTest, AnInputBelongsToTheFirstBucketThatReachesUpToIt) {
  const auto buckets = FindBuckets({100, 200, 300});
  EXPECT_EQ(BucketOf(*buckets, 100), 0);
  EXPECT_EQ(BucketOf(*buckets, 101), 1);
  EXPECT_EQ(BucketOf(*buckets, 300), 2);
  EXPECT_EQ(BucketOf(*buckets, 301), -1);
}

TEST(BucketsTest, RefusesSizesThatAreNotPositiveAndNoneAtAll) {
  EXPECT_EQ(FindBuckets({}).status().code(),
            absl::StatusCode::kInvalidArgument);
  const absl::Status status = FindBuckets({5, 0, 7}).status();
  EXPECT_THAT(std::string(status.message()), HasSubstr("graph 1"));
}

}  // namespace
}  // namespace stowage::policies
