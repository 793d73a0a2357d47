#include "client_sdk/runtime/placing/plan_driver.h"

#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/planned_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kBeginBytes = 4 * kPage;

// Has a plan of two kernels: the first allocates tensor 1, of two pages, three
// pages above the plan's begin.
class PlanDriverTest : public testing::Test {
 protected:
  PlanDriverTest()
      : driver_(&memory_.placed.blocks, &memory_.placed.mover,
                &memory_.placed.evictor,
                &memory_.placed.client.segment()->report) {
    memory_.AddKernel(10, {{.tensor = 1,
                            .tier = session::kFastTier,
                            .offset_bytes = 3 * kPage,
                            .size_bytes = 2 * kPage}});
    memory_.AddKernel(11);
  }

  Block* MakeTensor(int32_t tensor, int tier = session::kFastTier) {
    return memory_.MakeTensor(driver_.tensors(), tensor, /*pages=*/2, tier);
  }
  bool Start(const std::vector<PlanTarget>& targets = {}) {
    if (driver_.tensors()->all().empty()) {
      driver_.tensors()->Recognize(memory_.plan(), /*step=*/1, kBeginBytes);
    }
    return driver_.Start(memory_.plan(), targets, kBeginBytes);
  }
  static RunningKernel KernelAt(int32_t index) {
    return {.key = static_cast<uint64_t>(10 + index),
            .name = "kernel",
            .index = index};
  }
  // Checks an operand of a kernel that ends at once.
  std::optional<Surprise> Check(int32_t index, const KernelOperand& operand) {
    memory_.placed.blocks.AdvanceClock();
    memory_.placed.blocks.BeginUse(operand.block);
    auto surprise = driver_.CheckOperands(KernelAt(index), {operand});
    memory_.placed.blocks.EndUse(operand.block);
    return surprise;
  }
  uint64_t Events() {
    return memory_.placed.client.segment()->report.process_events.written;
  }
  static void ExpectReason(SurpriseReason reason,
                           const std::optional<Surprise>& surprise) {
    ASSERT_TRUE(surprise.has_value());
    EXPECT_EQ(surprise->reason, reason);
  }

  PlannedMemory memory_;
  PlanDriver driver_;
};

TEST_F(PlanDriverTest, StartBringsTensorsToTheirPlaces) {
  Block* slow = MakeTensor(0, /*tier=*/1);
  Block* misplaced = MakeTensor(2);
  const Place first{session::kFastTier, 0};
  const Place second{session::kFastTier, 8 * kPage};
  EXPECT_TRUE(Start({{slow, first}, {misplaced, second}}));
  EXPECT_EQ(slow->place, first);
  EXPECT_EQ(misplaced->place, second);
  EXPECT_EQ(driver_.plan(), &memory_.plan());
  EXPECT_EQ(Events(), 0u);
}

TEST_F(PlanDriverTest, ATensorThatCannotMoveLetsNoPlanStartInItsWay) {
  Block* slow = MakeTensor(0, /*tier=*/1);
  Block* stays = memory_.Make(2);
  memory_.placed.blocks.MarkPinned(stays);
  EXPECT_FALSE(Start({{slow, stays->place}}));
  EXPECT_EQ(driver_.plan(), nullptr);
  EXPECT_EQ(Events(), 1u);
}

TEST_F(PlanDriverTest, ATensorThatCannotLeaveLetsNoPlanStart) {
  Block* stays = MakeTensor(0);
  memory_.placed.blocks.MarkPinned(stays);
  EXPECT_FALSE(Start({{stays, {1, 0}}}));
}

TEST_F(PlanDriverTest, AnotherKernelIsASurprise) {
  Start();
  EXPECT_FALSE(driver_.BeginKernel(KernelAt(0)).has_value());
  RunningKernel other = KernelAt(1);
  other.key = 99;
  ExpectReason(SurpriseReason::kKernelSequence, driver_.BeginKernel(other));
}

TEST_F(PlanDriverTest, AnAllocationStandsWhereThePlanSays) {
  Start();
  Block born{.size_bytes = 2 * kPage};
  EXPECT_FALSE(driver_.PlaceNew(KernelAt(0), &born).has_value());
  EXPECT_EQ(born.place, (Place{session::kFastTier, kBeginBytes + 3 * kPage}));
  EXPECT_EQ(driver_.tensors()->at(1), &born);
}

TEST_F(PlanDriverTest, AnotherAllocationIsASurprise) {
  Start();
  Block large{.size_bytes = 3 * kPage};
  ExpectReason(SurpriseReason::kAllocationSequence,
               driver_.PlaceNew(KernelAt(0), &large));
  Block unplanned{.size_bytes = 2 * kPage};
  ExpectReason(SurpriseReason::kAllocationSequence,
               driver_.PlaceNew(KernelAt(1), &unplanned));
}

TEST_F(PlanDriverTest, AllocationsWhoseRoomIsTakenAreASurprise) {
  memory_.placed.blocks.MarkPinned(memory_.Make(15));
  memory_.plan().allocations[0].offset_bytes = -kBeginBytes;
  Start();
  Block born{.size_bytes = 2 * kPage};
  ExpectReason(SurpriseReason::kRoomTaken,
               driver_.PlaceNew(KernelAt(0), &born));
}

TEST_F(PlanDriverTest, ATensorThatIsWrittenWhileItMovesIsASurprise) {
  Block* block = MakeTensor(0);
  memory_.AddMove({.tensor = 0,
                   .to_tier = 1,
                   .start_kernel = 0,
                   .deadline_kernel = 2,
                   .size_bytes = 2 * kPage});
  Start();
  ASSERT_FALSE(driver_.BeginKernel(KernelAt(0)).has_value());
  EXPECT_FALSE(Check(0, {block, session::kOperandRead}).has_value());
  ExpectReason(SurpriseReason::kWrittenWhileMoving,
               Check(0, {block, session::kOperandWrite}));
  driver_.Leave();
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(driver_.plan(), nullptr);
}

TEST_F(PlanDriverTest, AnOperandElsewhereIsStreamedOrFetchedOrASurprise) {
  Block* streamed = MakeTensor(0, /*tier=*/1);
  Block* fetched = MakeTensor(2, /*tier=*/1);
  memory_.plan().streams = {{.kernel = 0, .tensor = 0}};
  Start();
  EXPECT_FALSE(Check(0, {streamed, session::kOperandRead}).has_value());
  EXPECT_EQ(streamed->place.tier, 1);
  EXPECT_FALSE(Check(0, {fetched, session::kOperandRead}).has_value());
  EXPECT_EQ(fetched->place.tier, session::kFastTier);
  memory_.placed.blocks.MarkPinned(fetched);
  Block* absent = MakeTensor(3, /*tier=*/1);
  memory_.placed.blocks.MarkPinned(memory_.Make(13));
  ExpectReason(SurpriseReason::kOperandNotResident,
               Check(1, {absent, session::kOperandRead}));
}

TEST_F(PlanDriverTest, AStepOfFewerKernelsIsASurprise) {
  Start();
  EXPECT_FALSE(driver_.EndStep(2).has_value());
  ExpectReason(SurpriseReason::kStepEndedEarly, driver_.EndStep(1));
}

TEST_F(PlanDriverTest, APlanThatTakesOverBringsTensorsToWhereItHasThemByNow) {
  Start();
  ASSERT_FALSE(driver_.BeginKernel(KernelAt(0)).has_value());
  Block* slow = MakeTensor(0, /*tier=*/1);
  Block* used = MakeTensor(2);
  const Place used_place = used->place;
  memory_.placed.blocks.BeginUse(used);
  driver_.Leave();
  const Place first{session::kFastTier, 8 * kPage};
  const Place second{session::kFastTier, 11 * kPage};
  driver_.Resume(memory_.plan(), {{slow, first}, {used, second}}, kBeginBytes,
                 /*boundary=*/1);
  EXPECT_EQ(slow->place, first);
  EXPECT_EQ(used->place, used_place);
  EXPECT_EQ(driver_.plan(), &memory_.plan());
  EXPECT_FALSE(driver_.BeginKernel(KernelAt(1)).has_value());
  EXPECT_FALSE(driver_.EndStep(2).has_value());
  EXPECT_EQ(Events(), 0u);
  memory_.placed.blocks.EndUse(used);
}

TEST_F(PlanDriverTest, LeavingGivesUpWhatWasKeptForThePlan) {
  Block* block = MakeTensor(0, /*tier=*/1);
  memory_.AddMove({.tensor = 0,
                   .from_tier = 1,
                   .to_tier = 0,
                   .flags = session::kMoveKeepsSource,
                   .size_bytes = 2 * kPage});
  Start();
  ASSERT_FALSE(driver_.BeginKernel(KernelAt(0)).has_value());
  EXPECT_TRUE(block->kept.has_value());
  driver_.Leave();
  EXPECT_FALSE(block->kept.has_value());
  EXPECT_EQ(block->place.tier, session::kFastTier);
}

}  // namespace
}  // namespace stowage::runtime
