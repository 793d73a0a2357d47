#include "client_sdk/runtime/space/pinned_room.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The smallest window.
constexpr uint64_t kSignature = 7;

class PinnedRoomTest : public testing::Test {
 protected:
  explicit PinnedRoomTest(int64_t limit_units = 20)
      : memory_({.fast_bytes = 60 * kUnit,
                 .slow_bytes = 100 * kUnit,
                 .limit_bytes = limit_units * kUnit}),
        space_(&memory_.client, &memory_.blocks, &memory_.mover,
               &memory_.evictor),
        pinned_(&memory_.blocks, &memory_.mover, &memory_.evictor, &space_) {}

  Block* Make(int64_t units, int tier = session::kFastTier) {
    storages_.push_back(std::make_unique<FakeStorage>());
    return memory_.Make(storages_.back().get(), units * kUnit,
                        'a' + storages_.size(), tier);
  }
  // Returns a block that no storage stands behind.
  Block* MakeScratch(int64_t birth_step) {
    Block* block = Make(1);
    block->storage = nullptr;
    block->birth_step = birth_step;
    return block;
  }
  bool SetAside(Block* block) {
    const bool set_aside = pinned_.SetAside(block);
    memory_.blocks.MarkPinned(block);
    return set_aside;
  }
  int64_t WindowBytes() const { return space_.window_bytes(); }

  PlacedMemory memory_;
  FastSpace space_;
  PinnedRoom pinned_;
  std::vector<std::unique_ptr<FakeStorage>> storages_;
};

class UnlimitedPinnedRoomTest : public PinnedRoomTest {
 protected:
  UnlimitedPinnedRoomTest() : PinnedRoomTest(/*limit_units=*/0) {}
};

TEST_F(PinnedRoomTest, ATensorIsSetAsideNextToTheWindow) {
  Block* below = Make(2);
  Block* block = Make(1);
  memory_.blocks.Remove(below);
  ASSERT_GT(block->place.offset_bytes, WindowBytes());
  EXPECT_TRUE(SetAside(block));
  EXPECT_TRUE(block->set_aside);
  EXPECT_EQ(block->place.offset_bytes, WindowBytes());
  EXPECT_TRUE(memory_.Holds(*block, 'c'));
}

TEST_F(PinnedRoomTest, WhatStandsInTheLowestRoomLeavesForIt) {
  Block* other = Make(2);
  Block* block = Make(1);
  EXPECT_TRUE(SetAside(block));
  EXPECT_EQ(block->place.offset_bytes, WindowBytes());
  EXPECT_EQ(other->place.tier, 1);
  EXPECT_TRUE(memory_.Holds(*other, 'b'));
  EXPECT_TRUE(memory_.Holds(*block, 'c'));
}

TEST_F(PinnedRoomTest, TheSecondTensorStandsAboveTheFirst) {
  Block* first = Make(1, /*tier=*/1);
  Block* second = Make(1, /*tier=*/1);
  EXPECT_TRUE(SetAside(first));
  EXPECT_TRUE(SetAside(second));
  EXPECT_EQ(second->place.offset_bytes, WindowBytes() + kUnit);
}

TEST_F(PinnedRoomTest, ATensorThatDoesNotFitFastMemoryIsNotSetAside) {
  Block* large = Make(15, /*tier=*/1);
  Block* in_use = Make(10);
  memory_.blocks.BeginUse(in_use);
  EXPECT_FALSE(SetAside(large));
  EXPECT_FALSE(large->set_aside);
  EXPECT_EQ(large->place.tier, 1);
  memory_.blocks.EndUse(in_use);
}

TEST_F(PinnedRoomTest, APlanBeginsAboveWhatIsSetAsideAndKeepsItsOwnRoom) {
  SetAside(Make(2));
  EXPECT_TRUE(pinned_.FindPlanBegin({.signature = kSignature}));
  EXPECT_EQ(pinned_.plan_begin_bytes(), WindowBytes() + 2 * kUnit);
  Block* another = Make(1, /*tier=*/1);
  EXPECT_FALSE(pinned_.FitsBelowPlan(*another));
  pinned_.EndStep(kSignature);
}

TEST_F(PinnedRoomTest, RoomThatAPinnedTensorLeftBehindStaysBelowThePlan) {
  Block* block = Make(2);
  SetAside(block);
  pinned_.EndStep(kSignature);
  memory_.blocks.Remove(block);
  pinned_.BeginStep();
  EXPECT_TRUE(pinned_.FindPlanBegin({.signature = kSignature}));
  EXPECT_EQ(pinned_.plan_begin_bytes(), WindowBytes() + 2 * kUnit);
  EXPECT_TRUE(pinned_.FitsBelowPlan(*Make(1, /*tier=*/1)));
}

TEST_F(PinnedRoomTest, RoomIsGivenBackByTheSecondProfileAfterItsUse) {
  Block* block = Make(2);
  SetAside(block);
  pinned_.EndStep(kSignature);
  EXPECT_EQ(pinned_.TakeBytes(kSignature), 2 * kUnit);
  memory_.blocks.Remove(block);
  pinned_.BeginStep();
  pinned_.EndStep(kSignature);
  EXPECT_EQ(pinned_.TakeBytes(kSignature), 0);
  EXPECT_TRUE(pinned_.FindPlanBegin({.signature = kSignature}));
  EXPECT_EQ(pinned_.plan_begin_bytes(), WindowBytes());
}

TEST_F(PinnedRoomTest, APlanThatNoLongerFitsIsRefused) {
  PlanTable plan{.signature = kSignature};
  plan.fast_end_bytes = memory_.blocks.fast().capacity_bytes() - WindowBytes();
  EXPECT_TRUE(pinned_.FindPlanBegin(plan));
  SetAside(Make(1));
  EXPECT_FALSE(pinned_.FindPlanBegin(plan));
}

TEST_F(PinnedRoomTest, WhatStaysInTheUpperHalfBelongsAboveThePlans) {
  Block* below = Make(16);
  Block* block = Make(1);
  memory_.blocks.MarkPinned(block);
  memory_.blocks.Remove(below);
  EXPECT_THAT(pinned_.FindStaying(/*step=*/1), ElementsAre(block));
  pinned_.SetAsideInPlace(block);
  EXPECT_THAT(pinned_.FindStaying(/*step=*/1), IsEmpty());
  EXPECT_TRUE(block->above_plans);
  pinned_.FindPlanBegin({.signature = kSignature});
  EXPECT_EQ(pinned_.plan_begin_bytes(), WindowBytes());
  EXPECT_EQ(pinned_.plan_above_bytes(),
            memory_.blocks.fast().capacity_bytes() - block->place.offset_bytes);
}

TEST_F(PinnedRoomTest, ScratchStaysOnceAWholeStepHasSeenNoStorage) {
  Block* scratch = MakeScratch(/*birth_step=*/3);
  EXPECT_FALSE(pinned_.Stays(*scratch, /*step=*/4));
  EXPECT_TRUE(pinned_.Stays(*scratch, /*step=*/5));
}

TEST_F(PinnedRoomTest, ATensorWhoseStorageSaysSoStays) {
  Block* block = Make(1);
  EXPECT_FALSE(pinned_.Stays(*block, /*step=*/1));
  storages_.back()->movable = false;
  EXPECT_TRUE(pinned_.Stays(*block, /*step=*/1));
}

TEST_F(UnlimitedPinnedRoomTest, NothingStaysInAJobWithoutALimit) {
  Block* block = Make(1);
  memory_.blocks.MarkPinned(block);
  EXPECT_THAT(pinned_.FindStaying(/*step=*/5), IsEmpty());
}

}  // namespace
}  // namespace stowage::runtime
