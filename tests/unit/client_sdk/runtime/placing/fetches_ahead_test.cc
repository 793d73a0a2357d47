#include "client_sdk/runtime/placing/fetches_ahead.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kFetchBlocks = 8;
constexpr int64_t kFetchFastPages =
    128;  // a run may expect two blocks of these
constexpr int64_t kFetchBlockPages = 2;

// Eight blocks were used in the order of their numbers and are in slow memory.
class FetchesAheadTest : public testing::TestWithParam<bool> {
 protected:
  FetchesAheadTest()
      : memory_({.fast_bytes = kFetchFastPages * kPage,
                 .slow_bytes = 2 * kFetchFastPages * kPage,
                 .slow_is_file = GetParam()}) {
    for (int i = 0; i < kFetchBlocks; ++i) {
      memory_.blocks.AdvanceClock();
      blocks_[i] = memory_.Make(&storages_[i], kFetchBlockPages * kPage,
                                static_cast<char>('a' + i), /*tier=*/1);
    }
    Pass(1000);
  }

  void Pass(int kernels) {
    for (int i = 0; i < kernels; ++i) memory_.blocks.AdvanceClock();
  }
  // Does what a kernel does that reads the block.
  void Use(int number) {
    memory_.blocks.AdvanceClock();
    Block* block = blocks_[number];
    fetches_.NoteUses({{block, session::kOperandRead}});
    if (block->moving()) memory_.mover.Finish(block);
    memory_.blocks.BeginUse(block);
    if (block->place.tier != session::kFastTier) {
      ASSERT_TRUE(memory_.evictor.BeginFetch(block));
      memory_.evictor.FinishFetch(block);
    }
    fetches_.Begin();
    memory_.blocks.EndUse(block);
  }
  std::vector<int> InFast() {
    memory_.mover.FinishAhead(/*wait=*/true);
    std::vector<int> numbers;
    for (int i = 0; i < kFetchBlocks; ++i) {
      if (blocks_[i]->place.tier == session::kFastTier) numbers.push_back(i);
    }
    return numbers;
  }
  // Leaves no free room; the block that fills it was used just now.
  Block* FillFast(FakeStorage* storage) {
    return memory_.Make(
        storage,
        kFetchFastPages * kPage - memory_.UsedBytes(session::kFastTier), 'f');
  }

  PlacedMemory memory_;
  FetchesAhead fetches_{&memory_.blocks, &memory_.mover, &memory_.evictor};
  FakeStorage storages_[kFetchBlocks];
  Block* blocks_[kFetchBlocks] = {};
};

TEST_P(FetchesAheadTest, OneUseTellsNoDirection) {
  Use(7);
  EXPECT_THAT(InFast(), ElementsAre(7));
}

TEST_P(FetchesAheadTest, ABackwardPassFindsWhatTheForwardPassLeft) {
  Use(7);
  Use(6);
  EXPECT_THAT(InFast(), ElementsAre(4, 5, 6, 7));
  for (int number : {4, 5}) {
    EXPECT_TRUE(
        memory_.Holds(*blocks_[number], static_cast<char>('a' + number)));
    EXPECT_TRUE(blocks_[number]->kept.has_value());
  }
}

TEST_P(FetchesAheadTest, AnUpdateFindsItsStateInTheOrderOfTheLastOne) {
  Use(0);
  Use(1);
  EXPECT_THAT(InFast(), ElementsAre(0, 1, 2, 3));
}

TEST_P(FetchesAheadTest, AUseOfWhatWasFetchedContinuesTheRun) {
  Use(7);
  Use(6);
  Use(5);
  EXPECT_THAT(InFast(), ElementsAre(3, 4, 5, 6, 7));
}

TEST_P(FetchesAheadTest, RunsInBothDirectionsAtOnceAreKeptApart) {
  for (int i = 4; i < kFetchBlocks; ++i) blocks_[i]->last_use += 200;
  Use(7);
  Use(0);
  Use(6);
  EXPECT_THAT(InFast(), ElementsAre(0, 4, 5, 6, 7));
  Use(1);
  EXPECT_THAT(InFast(), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

TEST_P(FetchesAheadTest, NothingIsFetchedWhereNothingHasACopyToLeaveFor) {
  FakeStorage storage;
  Use(7);
  Use(6);
  for (int number : InFast()) {
    memory_.blocks.NoteWrite({blocks_[number], session::kOperandWrite});
  }
  Block* full = FillFast(&storage);
  Use(5);
  EXPECT_THAT(InFast(), ElementsAre(4, 5, 6, 7));
  EXPECT_EQ(full->place.tier, session::kFastTier);
}

TEST_P(FetchesAheadTest, WhatHasACopyAndIsNotExpectedMakesRoom) {
  FakeStorage storage;
  Use(0);
  Pass(200);
  Use(7);
  Use(6);
  Use(5);
  FillFast(&storage);
  Use(4);
  EXPECT_THAT(InFast(), ElementsAre(2, 3, 4, 5, 6, 7));
}

TEST_P(FetchesAheadTest, WhatIsExpectedIsNotTheFirstToLeave) {
  FakeStorage storage;
  Use(7);
  Use(6);
  InFast();
  FillFast(&storage);
  Block born{.size_bytes = kFetchBlockPages * kPage};
  EXPECT_TRUE(memory_.evictor.TakeFastRoom(&born).has_value());
  EXPECT_EQ(blocks_[4]->place.tier, session::kFastTier);
  EXPECT_EQ(blocks_[5]->place.tier, session::kFastTier);
}

TEST_P(FetchesAheadTest, WhatIsNotUsedForLongIsExpectedNoMore) {
  FakeStorage storage;
  Use(7);
  Use(6);
  InFast();
  FillFast(&storage);
  Pass(100);
  for (int number : {6, 7}) memory_.blocks.Touch(blocks_[number]);
  Block born{.size_bytes = kFetchBlockPages * kPage};
  EXPECT_TRUE(memory_.evictor.TakeFastRoom(&born).has_value());
  EXPECT_EQ(blocks_[4]->place.tier, 1);
}

TEST_P(FetchesAheadTest, ABlockThatDiedIsNobodysNeighbour) {
  storages_[5].Kill();
  memory_.blocks.Remove(blocks_[5]);
  blocks_[5] = blocks_[4];
  Use(7);
  Use(6);
  EXPECT_THAT(InFast(), ElementsAre(3, 4, 5, 6, 7));
}

INSTANTIATE_TEST_SUITE_P(SlowTiers, FetchesAheadTest, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "File" : "Memory";
                         });

}  // namespace
}  // namespace stowage::runtime
