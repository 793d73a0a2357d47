#include "client_sdk/runtime/blocks/use_order.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

class UseOrderTest : public testing::Test {
 protected:
  UseOrderTest() {
    for (Block& block : blocks_) order_.Use(&block);
  }

  UseOrder order_;
  Block blocks_[3];
};

TEST_F(UseOrderTest, BlocksStandInTheOrderOfTheirUse) {
  EXPECT_EQ(blocks_[0].used_before, nullptr);
  EXPECT_EQ(blocks_[0].used_after, &blocks_[1]);
  EXPECT_EQ(blocks_[2].used_before, &blocks_[1]);
  EXPECT_EQ(blocks_[2].used_after, nullptr);
}

TEST_F(UseOrderTest, AnotherUseMakesABlockTheLastOne) {
  order_.Use(&blocks_[1]);
  EXPECT_EQ(blocks_[0].used_after, &blocks_[2]);
  EXPECT_EQ(blocks_[2].used_before, &blocks_[0]);
  EXPECT_EQ(blocks_[1].used_before, &blocks_[2]);
  EXPECT_EQ(blocks_[1].used_after, nullptr);
}

TEST_F(UseOrderTest, TheLastOneStaysWhereItIs) {
  order_.Use(&blocks_[2]);
  EXPECT_EQ(blocks_[2].used_before, &blocks_[1]);
  EXPECT_EQ(blocks_[1].used_after, &blocks_[2]);
}

TEST_F(UseOrderTest, NoNeighbourKnowsABlockThatIsGone) {
  order_.Remove(&blocks_[2]);
  EXPECT_EQ(blocks_[1].used_after, nullptr);
  order_.Use(&blocks_[0]);
  EXPECT_EQ(blocks_[1].used_before, nullptr);
  EXPECT_EQ(blocks_[1].used_after, &blocks_[0]);
}

TEST_F(UseOrderTest, ABlockThatIsNotThereCanBeRemoved) {
  Block other;
  order_.Remove(&other);
  EXPECT_EQ(blocks_[2].used_after, nullptr);
  order_.Use(&other);
  EXPECT_EQ(other.used_before, &blocks_[2]);
}

}  // namespace
}  // namespace stowage::runtime
