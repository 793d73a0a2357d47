#include "client_sdk/runtime/placing/demand_placer.h"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kFastPages = 16;

class DemandPlacerTest : public testing::Test {
 protected:
  DemandPlacerTest()
      : memory_({.fast_bytes = kFastPages * kPage, .slow_bytes = 64 * kPage}),
        demand_(&memory_.blocks, &memory_.mover, &memory_.evictor) {}

  Block* Make(int64_t pages, int tier = session::kFastTier) {
    storages_.push_back(std::make_unique<FakeStorage>());
    return memory_.Make(storages_.back().get(), pages * kPage,
                        'a' + storages_.size(), tier);
  }
  // Fetches the operands of a kernel, which ends at once.
  bool Fetch(const std::vector<Block*>& blocks, uint64_t shape = 0) {
    std::vector<KernelOperand> operands;
    for (Block* block : blocks) {
      memory_.blocks.BeginUse(block);
      const bool scattered =
          std::count(scattered_.begin(), scattered_.end(), block) > 0;
      operands.push_back(
          {block, session::kOperandRead |
                      (scattered ? session::kOperandScattered : 0u)});
    }
    const bool streams = demand_.FetchOperands(
        {.shape = shape}, operands, memory_.blocks.fast().capacity_bytes());
    for (Block* block : blocks) memory_.blocks.EndUse(block);
    return streams;
  }
  // Lets a kernel allocate blocks of so many pages.
  void NoteBirths(const std::vector<int64_t>& pages, uint64_t shape = 5) {
    RunningKernel kernel{.shape = shape};
    for (const int64_t birth : pages) {
      kernel.born_bytes += birth * kPage;
      demand_.NoteBirth(kernel, {.size_bytes = birth * kPage});
    }
  }
  int64_t RoomBeside(const std::vector<Block*>& operands) {
    const RunningKernel kernel{.shape = 5, .in_use = operands};
    return demand_.RoomForBirths(kernel, kFastPages * kPage);
  }
  static bool Fast(const Block* block) {
    return block->place.tier == session::kFastTier;
  }

  PlacedMemory memory_;
  DemandPlacer demand_;
  std::vector<Block*> scattered_;  // operands that kernels jump about in
  std::vector<std::unique_ptr<FakeStorage>> storages_;
};

TEST_F(DemandPlacerTest, ANewBlockIsFastAndOldOnesLeaveForIt) {
  Block* old = Make(10);
  Block born{.size_bytes = 10 * kPage};
  demand_.PlaceNew(&born);
  EXPECT_TRUE(Fast(&born));
  EXPECT_FALSE(Fast(old));
}

TEST_F(DemandPlacerTest, ANewBlockThatFitsNoFasterIsSlow) {
  Block born{.size_bytes = (kFastPages + 1) * kPage};
  demand_.PlaceNew(&born);
  EXPECT_EQ(born.place.tier, 1);
}

TEST_F(DemandPlacerTest, ABlockThatFitsNowhereIsAnError) {
  Block born{.size_bytes = 100 * kPage};
  EXPECT_THROW(demand_.PlaceNew(&born), std::runtime_error);
}

TEST_F(DemandPlacerTest, OperandsAreFetchedAndOthersLeaveForThem) {
  Block* absent = Make(8, /*tier=*/1);
  Block* present = Make(4);
  Block* other = Make(12);
  EXPECT_FALSE(Fetch({absent, present}));
  EXPECT_TRUE(Fast(absent));
  EXPECT_TRUE(Fast(present));
  EXPECT_FALSE(Fast(other));
}

TEST_F(DemandPlacerTest, OfOperandsThatDoNotFitTogetherTheLargestStaysBehind) {
  Block* large = Make(12, /*tier=*/1);
  Block* middle = Make(8, /*tier=*/1);
  Block* small = Make(4, /*tier=*/1);
  EXPECT_TRUE(Fetch({large, middle, small}));
  EXPECT_FALSE(Fast(large));
  EXPECT_TRUE(Fast(middle));
  EXPECT_TRUE(Fast(small));
}

TEST_F(DemandPlacerTest, AnOperandThatTheKernelJumpsAboutInDoesNotStream) {
  Block* small = Make(8, /*tier=*/1);
  Block* scattered = Make(12, /*tier=*/1);
  scattered_ = {scattered};
  EXPECT_TRUE(Fetch({small, scattered}));
  EXPECT_FALSE(Fast(small));
  EXPECT_TRUE(Fast(scattered));
}

TEST_F(DemandPlacerTest, AScatteredOperandStaysWhileBirthsStream) {
  NoteBirths({10}, /*shape=*/5);
  Block* operand = Make(12);
  Block* small = Make(3);
  scattered_ = {operand};
  EXPECT_TRUE(Fetch({operand, small}, /*shape=*/5));
  EXPECT_TRUE(Fast(operand));
  EXPECT_FALSE(Fast(small));
  // Even if they stream badly: it would be worse.
  demand_.NoteStreaming(
      {.shape = 5, .streamed_bytes = kPage, .births_stream = true}, 41 * kPage);
  EXPECT_TRUE(Fetch({operand, small}, /*shape=*/5));
  EXPECT_TRUE(Fast(operand));
}

TEST_F(DemandPlacerTest, AnOperandThatAnotherKernelUsesStaysWhereItIs) {
  Block* shared = Make(4);
  Block* absent = Make(8, /*tier=*/1);
  const Place place = shared->place;
  memory_.blocks.BeginUse(shared);
  EXPECT_FALSE(Fetch({shared, absent}));
  EXPECT_EQ(shared->place, place);
  EXPECT_TRUE(Fast(absent));
  memory_.blocks.EndUse(shared);
}

TEST_F(DemandPlacerTest, AnOperandInTheWayOfAnotherMakesRoomForIt) {
  Block* absent = Make(12, /*tier=*/1);
  Block* below = Make(6);
  Block* between = Make(2);
  memory_.blocks.Remove(below);
  ASSERT_EQ(between->place.offset_bytes, 6 * kPage);
  Fetch({between, absent});
  EXPECT_TRUE(Fast(between));
  EXPECT_TRUE(Fast(absent));
}

TEST_F(DemandPlacerTest, RoomInOnePieceIsMadeForWhatSuchKernelsAllocate) {
  Block* below = Make(7);
  Block* operand = Make(2);
  memory_.blocks.Remove(below);
  NoteBirths({14});

  Fetch({operand}, /*shape=*/4);  // allocates nothing that large
  EXPECT_EQ(operand->place.offset_bytes, 7 * kPage);
  Fetch({operand}, /*shape=*/5);
  Block born{.size_bytes = 14 * kPage};
  EXPECT_TRUE(memory_.blocks.TakeRoom(session::kFastTier, &born).has_value());
}

TEST_F(DemandPlacerTest, ASmallOperandMakesRoomBesideALargeOne) {
  Block* large = Make(6);
  Block* between = Make(4);
  Block* small = Make(2);
  const Place place = large->place;
  memory_.blocks.Remove(between);
  NoteBirths({8});
  Fetch({large, small}, /*shape=*/5);
  EXPECT_EQ(large->place, place);
  Block born{.size_bytes = 8 * kPage};
  EXPECT_TRUE(memory_.blocks.TakeRoom(session::kFastTier, &born).has_value());
}

TEST(DemandPlacerMemoryTest, OperandsDoNotMoveForABirthThatFitsNowhere) {
  PlacedMemory memory({.fast_bytes = kFastPages * kPage,
                       .slow_bytes = 64 * kPage,
                       .slow_is_file = false});
  DemandPlacer demand(&memory.blocks, &memory.mover, &memory.evictor);
  FakeStorage below_storage, storage;
  Block* below = memory.Make(&below_storage, 7 * kPage, 'a');
  Block* operand = memory.Make(&storage, 2 * kPage, 'b');
  memory.blocks.Remove(below);
  RunningKernel kernel{.shape = 5, .born_bytes = 20 * kPage};
  demand.NoteBirth(kernel, {.size_bytes = 20 * kPage});
  const Place place = operand->place;
  memory.blocks.BeginUse(operand);
  demand.FetchOperands(kernel, {{operand, session::kOperandRead}},
                       kFastPages * kPage);
  EXPECT_EQ(operand->place, place);
}

TEST_F(DemandPlacerTest, BirthsHaveTheRoomThatTheyNeed) {
  NoteBirths({4, 6});
  EXPECT_EQ(RoomBeside({}), 10 * kPage);
  EXPECT_EQ(RoomBeside({Make(6)}), 10 * kPage);
}

TEST_F(DemandPlacerTest, BirthsThatDoNotFitLeaveTwoThirdsToTheWindow) {
  NoteBirths({6, 6, 6});
  Block* slow = Make(8, /*tier=*/1);
  EXPECT_EQ(RoomBeside({slow, Make(2)}), 3 * kPage);  // of 14
}

TEST_F(DemandPlacerTest, ALargeBirthThatDoesNotFitLeavesItsRoomToTheWindow) {
  NoteBirths({14, 2});
  Block* small = Make(3);
  EXPECT_EQ(RoomBeside({small}), 2 * kPage);
  EXPECT_EQ(RoomBeside({small, Make(10)}), 0);
}

TEST_F(DemandPlacerTest, SmallBirthsAreNotRemembered) {
  NoteBirths({1});
  EXPECT_EQ(RoomBeside({}), 0);
}

TEST_F(DemandPlacerTest, TheLargestOperandLeavesWhereMoreWouldStream) {
  NoteBirths({8, 8}, /*shape=*/5);
  Block* large = Make(8);
  Block* small = Make(4);
  EXPECT_TRUE(Fetch({large, small}, /*shape=*/5));
  EXPECT_FALSE(Fast(large));
  EXPECT_TRUE(Fast(small));
}

TEST_F(DemandPlacerTest, OperandsStayWhereLessWouldStream) {
  NoteBirths({4}, /*shape=*/5);
  Block* large = Make(8);
  Block* small = Make(6);
  EXPECT_TRUE(Fetch({large, small}, /*shape=*/5));
  EXPECT_TRUE(Fast(large));
}

TEST_F(DemandPlacerTest, OperandsLeaveWhereBirthsWouldStreamThroughALittle) {
  NoteBirths({4}, /*shape=*/5);
  Block* large = Make(8);
  Block* small = Make(7);  // which leaves a quarter
  EXPECT_TRUE(Fetch({large, small}, /*shape=*/5));
  EXPECT_FALSE(Fast(large));
  EXPECT_TRUE(Fast(small));
}

TEST_F(DemandPlacerTest, OperandsLeaveWhereAKernelWorksOnItsResultInPlace) {
  NoteBirths({4}, /*shape=*/5);
  Block* large = Make(8);
  Block* small = Make(6);
  const auto note = [&](bool births_stream, int64_t pages) {
    demand_.NoteStreaming(
        {.shape = 5, .streamed_bytes = kPage, .births_stream = births_stream},
        pages * kPage);
  };
  note(/*births_stream=*/true, 16);
  Fetch({large, small}, /*shape=*/5);
  EXPECT_TRUE(Fast(large));
  note(/*births_stream=*/true, 17);
  Fetch({large, small}, /*shape=*/5);
  EXPECT_FALSE(Fast(large));
  // Which was no better.
  note(/*births_stream=*/false, 18);
  Fetch({large, small}, /*shape=*/5);
  EXPECT_TRUE(Fast(large));
}

TEST_F(DemandPlacerTest, AKernelThatReworksItsResultHasRoomForItAtOnce) {
  Block* operand = Make(10);
  const auto fetch = [&](bool reworks_result) {
    memory_.blocks.BeginUse(operand);
    demand_.FetchOperands({.result_bytes = 10 * kPage,
                           .reworks_result = reworks_result,
                           .shape = 9},
                          {{operand, session::kOperandRead}},
                          kFastPages * kPage);
    memory_.blocks.EndUse(operand);
  };
  fetch(/*reworks_result=*/false);
  EXPECT_TRUE(Fast(operand));
  fetch(/*reworks_result=*/true);
  EXPECT_FALSE(Fast(operand));
}

TEST_F(DemandPlacerTest, AKernelThatTellsWhatItAllocatesNeedNotHaveRunBefore) {
  const RunningKernel kernel{.result_bytes = 4 * kPage, .shape = 9};
  EXPECT_EQ(demand_.RoomForBirths(kernel, kFastPages * kPage), 4 * kPage);
}

}  // namespace
}  // namespace stowage::runtime
