#include "client_sdk/runtime/placing/plan_strangers.h"

#include <optional>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/planned_memory.h"

namespace stowage::runtime {
namespace {

class PlanStrangersTest : public testing::Test {
 protected:
  PlanStrangersTest()
      : tensors_(&memory_.placed.blocks),
        strangers_(&memory_.placed.blocks, &memory_.placed.mover,
                   &memory_.placed.evictor, &tensors_) {
    memory_.AddKernel(10, {{.tensor = 7,
                            .tier = session::kFastTier,
                            .offset_bytes = 14 * kPage,
                            .size_bytes = 2 * kPage}});
  }

  Block* MakeTensor(int32_t tensor, int64_t pages) {
    return memory_.MakeTensor(&tensors_, tensor, pages);
  }
  // Returns whether the fast room of four pages at that offset can be had.
  bool TakeRoom(int64_t page) {
    return strangers_.TakeRoom({session::kFastTier, page * kPage}, &wants_)
        .has_value();
  }
  // Fetches the block as an operand of a running kernel.
  bool Fetch(Block* block) {
    PlacedBlocks& blocks = memory_.placed.blocks;
    const int64_t first_kernel = blocks.clock() + 1;
    blocks.AdvanceClock();
    if (used_ != nullptr) blocks.Touch(used_);
    blocks.BeginUse(block);
    const bool fetched = strangers_.Fetch(
        {.plan = &memory_.plan(), .first_kernel = first_kernel},
        /*kernel=*/0, block);
    blocks.EndUse(block);
    return fetched;
  }

  PlannedMemory memory_;
  PlanTensors tensors_;
  PlanStrangers strangers_;
  Block wants_{.size_bytes = 4 * kPage};
  Block* used_ = nullptr;  // by a kernel of this step
};

TEST_F(PlanStrangersTest, FreeRoomIsTaken) { EXPECT_TRUE(TakeRoom(8)); }

TEST_F(PlanStrangersTest, StrangersLeaveTheRoomThatThePlanNames) {
  Block* first = memory_.Make(2);
  Block* second = memory_.Make(4);
  Block* beyond = memory_.Make(2);
  EXPECT_TRUE(TakeRoom(1));
  EXPECT_EQ(first->place.tier, 1);
  EXPECT_EQ(second->place.tier, 1);
  EXPECT_EQ(beyond->place.tier, session::kFastTier);
  EXPECT_TRUE(memory_.placed.Holds(*second, 'a'));
}

TEST_F(PlanStrangersTest, ATensorThatOutlivedItsPartLeavesToo) {
  Block* tensor = MakeTensor(0, 2);
  EXPECT_TRUE(TakeRoom(0));
  EXPECT_EQ(tensor->place.tier, 1);
  EXPECT_TRUE(memory_.placed.Holds(*tensor, 'a'));
}

TEST_F(PlanStrangersTest, WhereSomethingCannotMoveNobodyLeaves) {
  Block* stranger = memory_.Make(2);
  memory_.placed.blocks.MarkPinned(memory_.Make(2));
  EXPECT_FALSE(TakeRoom(0));
  EXPECT_EQ(stranger->place.tier, session::kFastTier);
}

TEST_F(PlanStrangersTest, AHoleServesWhereTheRoomCannotBeHad) {
  memory_.placed.blocks.MarkPinned(memory_.Make(2));
  const Place wish{session::kFastTier, 0};
  const std::optional<Place> room = strangers_.TakeRoomOrHole(wish, &wants_);
  ASSERT_TRUE(room.has_value());
  EXPECT_EQ(room->tier, session::kFastTier);
  EXPECT_EQ(room->offset_bytes, 2 * kPage);
  Block large{.size_bytes = 12 * kPage};
  EXPECT_FALSE(strangers_.TakeRoomOrHole(wish, &large).has_value());
}

TEST_F(PlanStrangersTest, AStrangerThatAKernelUsesKeepsItsRoom) {
  Block* stranger = memory_.Make(2);
  memory_.placed.blocks.BeginUse(stranger);
  EXPECT_FALSE(TakeRoom(0));
  memory_.placed.blocks.EndUse(stranger);
}

TEST_F(PlanStrangersTest, ASlowPlaceIsAWish) {
  const Place wish{1, 8 * kPage};
  EXPECT_EQ(strangers_.TakeRoom(wish, &wants_), wish);
  Block second{.size_bytes = kPage};
  const std::optional<Place> room = strangers_.TakeRoom(wish, &second);
  ASSERT_TRUE(room.has_value());
  EXPECT_EQ(room->tier, 1);
  EXPECT_NE(room, wish);
}

TEST_F(PlanStrangersTest, AStrangerIsFetchedIntoAGap) {
  MakeTensor(0, 8);
  Block* stranger = memory_.Make(4, /*tier=*/1, 's');
  EXPECT_TRUE(Fetch(stranger));
  EXPECT_EQ(stranger->place.tier, session::kFastTier);
  EXPECT_EQ(stranger->tensor, -1);
  EXPECT_TRUE(memory_.placed.Holds(*stranger, 's'));
}

TEST_F(PlanStrangersTest, WhatTheKernelAllocatesKeepsItsRoomFree) {
  MakeTensor(0, 13);
  EXPECT_TRUE(Fetch(memory_.Make(1, /*tier=*/1)));
  EXPECT_FALSE(Fetch(memory_.Make(2, /*tier=*/1)));
}

TEST_F(PlanStrangersTest, AnOperandLeavesTheRoomOfWhatItsKernelAllocates) {
  MakeTensor(0, 13);
  Block* aside = memory_.Make(1);
  Block* in_the_way = memory_.Make(1);
  for (Block* operand : {aside, in_the_way}) {
    memory_.placed.blocks.BeginUse(operand);
    strangers_.ClearWay({.plan = &memory_.plan()}, /*kernel=*/0, operand);
    memory_.placed.blocks.EndUse(operand);
  }
  EXPECT_EQ(aside->place.tier, session::kFastTier);
  EXPECT_EQ(in_the_way->place.tier, 1);
}

TEST_F(PlanStrangersTest, AnotherStrangerMakesRoom) {
  Block* wanted = memory_.Make(4, /*tier=*/1);
  Block* first = memory_.Make(4);
  MakeTensor(0, 9);
  EXPECT_TRUE(Fetch(wanted));
  EXPECT_EQ(first->place.tier, 1);
}

TEST_F(PlanStrangersTest, WithoutAGapAStrangerStaysWhereItIs) {
  Block* stranger = memory_.Make(4, /*tier=*/1);
  MakeTensor(0, 14);
  EXPECT_FALSE(Fetch(stranger));
  EXPECT_EQ(stranger->place.tier, 1);
}

TEST_F(PlanStrangersTest, AnotherBatchTakesThePartOfTheLastOne) {
  Block* batch = MakeTensor(2, 4);
  const Place place = batch->place;
  Block* next = memory_.Make(4, /*tier=*/1, 'n');
  EXPECT_TRUE(Fetch(next));
  EXPECT_EQ(next->place, place);
  EXPECT_EQ(tensors_.at(2), next);
  EXPECT_EQ(batch->place.tier, 1);
  EXPECT_EQ(batch->tensor, -1);
  EXPECT_TRUE(memory_.placed.Holds(*next, 'n'));
}

TEST_F(PlanStrangersTest, ATensorThatTheStepHasUsedKeepsItsPart) {
  used_ = MakeTensor(2, 4);
  Block* next = memory_.Make(4, /*tier=*/1);
  EXPECT_TRUE(Fetch(next));
  EXPECT_EQ(tensors_.at(2), used_);
  EXPECT_EQ(used_->place.tier, session::kFastTier);
}

TEST_F(PlanStrangersTest, ATensorOfThePlanTakesNobodysPart) {
  Block* state = MakeTensor(2, 4);
  Block* weight =
      memory_.MakeTensor(&tensors_, /*tensor=*/3, /*pages=*/4, /*tier=*/1);
  EXPECT_TRUE(Fetch(weight));
  EXPECT_EQ(tensors_.at(2), state);
  EXPECT_EQ(state->place.tier, session::kFastTier);
}

TEST_F(PlanStrangersTest, AParameterKeepsItsPart) {
  Block* parameter = MakeTensor(2, 4);
  parameter->parameter = true;
  EXPECT_TRUE(Fetch(memory_.Make(4, /*tier=*/1)));
  EXPECT_EQ(tensors_.at(2), parameter);
}

}  // namespace
}  // namespace stowage::runtime
