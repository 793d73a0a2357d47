#include "client_sdk/runtime/blocks/block_origins.h"

#include <unordered_set>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr uint64_t kKind = 30, kOtherKind = 31, kTag = 7;

Block BornIn(int64_t step, uint64_t id, uint64_t tag = kTag) {
  return {.id = id, .birth_step = step, .birth_tag = tag};
}

TEST(BlockOriginsTest, TheNextBlockOfABirthHasTheSameOrigin) {
  Block first = BornIn(/*step=*/4, /*id=*/1);
  NameOrigins({&first}, /*step=*/5, kKind);
  Block next = BornIn(/*step=*/8, /*id=*/2);
  NameOrigins({&next}, /*step=*/9, kKind);
  EXPECT_NE(first.origin, 0u);
  EXPECT_EQ(first.origin, next.origin);
}

TEST(BlockOriginsTest, AnOriginLastsWhileStepsOfOtherKindsRun) {
  Block block = BornIn(/*step=*/4, /*id=*/1);
  NameOrigins({&block}, /*step=*/5, kKind);
  const uint64_t origin = block.origin;
  NameOrigins({&block}, /*step=*/6, kOtherKind);
  EXPECT_EQ(block.origin, origin);
}

TEST(BlockOriginsTest, BirthsAndKindsTellOriginsApart) {
  Block block = BornIn(/*step=*/4, /*id=*/1);
  Block other_birth = BornIn(/*step=*/4, /*id=*/2, /*tag=*/8);
  NameOrigins({&block, &other_birth}, /*step=*/5, kKind);
  Block other_kind = BornIn(/*step=*/4, /*id=*/3);
  NameOrigins({&other_kind}, /*step=*/5, kOtherKind);
  EXPECT_NE(block.origin, other_birth.origin);
  EXPECT_NE(block.origin, other_kind.origin);
}

TEST(BlockOriginsTest, OfBlocksOfOneBirthTheYoungestTakesTheOriginOver) {
  Block old = BornIn(/*step=*/4, /*id=*/1);
  NameOrigins({&old}, /*step=*/5, kKind);
  const uint64_t origin = old.origin;
  Block young = BornIn(/*step=*/5, /*id=*/2);
  NameOrigins({&old, &young}, /*step=*/6, kKind);
  EXPECT_EQ(young.origin, origin);
  EXPECT_NE(old.origin, origin);
}

TEST(BlockOriginsTest, BlocksOfTheFirstStepHaveNone) {
  Block weight = BornIn(/*step=*/0, /*id=*/1);
  NameOrigins({&weight}, /*step=*/1, kKind);
  EXPECT_EQ(weight.origin, 0u);
}

}  // namespace
}  // namespace stowage::runtime
