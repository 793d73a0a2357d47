#include "client_sdk/runtime/moves/fault_walks.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr uint64_t kWalked = 7;
constexpr int kThread = 3;
constexpr int64_t kRow = 100'352;

class FaultWalksTest : public testing::Test {
 protected:
  FaultWalks::Walk Note(int64_t offset_bytes, int thread = kThread,
                        uint64_t block = kWalked) {
    return walks_.Note(thread, block, offset_bytes);
  }

  FaultWalks walks_;
};

TEST_F(FaultWalksTest, OneFaultIsNoWalk) { EXPECT_EQ(Note(kRow).steps, 0); }

TEST_F(FaultWalksTest, EqualStepsMakeAWalk) {
  for (int64_t row = 0; row < 4; ++row) Note(row * kRow);
  const FaultWalks::Walk walk = Note(4 * kRow);
  EXPECT_EQ(walk.steps, 4);
  EXPECT_EQ(walk.row_bytes, kRow);
}

TEST_F(FaultWalksTest, FaultsNeedNotBeInTheSameColumn) {
  for (int64_t row = 0; row < 4; ++row) Note(row * kRow + row % 2 * 1536);
  EXPECT_EQ(Note(4 * kRow).steps, 4);
}

TEST_F(FaultWalksTest, RowsMayComeAFewAtATimeInAnyOrder) {
  constexpr int kOrder[] = {5, 0, 7, 4, 6, 1, 2, 3};
  FaultWalks::Walk walk;
  for (int64_t group = 0; group < 3; ++group) {
    for (const int row : kOrder) walk = Note((8 * group + row) * kRow);
  }
  EXPECT_GE(walk.steps, 3);
  EXPECT_EQ(walk.row_bytes, kRow);
}

TEST_F(FaultWalksTest, FaultsAllOverMakeNoWalk) {
  FaultWalks::Walk walk;
  for (int64_t i = 1; i < 100; ++i) walk = Note(i * i * i % 1009 * kRow / 3);
  EXPECT_LT(walk.steps, 3);
}

TEST_F(FaultWalksTest, ThreadsAndBlocksAreKeptApart) {
  for (int64_t row = 0; row < 4; ++row) {
    Note(row * kRow);
    Note(900 * kRow + 2 * row * kRow, kThread + 1);
    Note(5 * row * kRow, kThread, kWalked + 1);
  }
  EXPECT_EQ(Note(4 * kRow).row_bytes, kRow);
  EXPECT_EQ(Note(908 * kRow, kThread + 1).row_bytes, 2 * kRow);
  EXPECT_EQ(Note(20 * kRow, kThread, kWalked + 1).row_bytes, 5 * kRow);
}

}  // namespace
}  // namespace stowage::runtime
