#include "client_sdk/runtime/plans/plan_tensors.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kStep = 5;
constexpr uint64_t kTag = 77;
constexpr int64_t kRoomBegin = 3 * kPage;

class PlanTensorsTest : public testing::Test {
 protected:
  PlanTensorsTest()
      : memory_({.fast_bytes = 16 * kPage, .slow_bytes = 64 * kPage}),
        tensors_(&memory_.blocks),
        block_(memory_.Make(&storage_, 2 * kPage, 'a')) {}

  // Returns a plan with one tensor that is alive when the step begins.
  PlanTable PlanOf(int32_t tier, int64_t size_bytes) {
    PlanTable plan;
    plan.tensor_count = 3;
    plan.initial = {{.tensor = 1,
                     .tier = tier,
                     .offset_bytes = kPage,
                     .size_bytes = size_bytes}};
    return plan;
  }
  PlanTable KnownById(int32_t tier = session::kFastTier,
                      int64_t size_bytes = 2 * kPage) {
    PlanTable plan = PlanOf(tier, size_bytes);
    plan.initial_by_block[block_->id] = 0;
    return plan;
  }
  PlanTable KnownByTag() {
    PlanTable plan = PlanOf(session::kFastTier, 2 * kPage);
    plan.initial_by_tag[kTag] = 0;
    return plan;
  }
  std::vector<PlanTarget> Recognize(const PlanTable& plan) {
    return tensors_.Recognize(plan, kStep, kRoomBegin);
  }

  PlacedMemory memory_;
  FakeStorage storage_, other_storage_;
  PlanTensors tensors_;
  Block* block_;
};

TEST_F(PlanTensorsTest, RecognisesABlockByItsIdentity) {
  const std::vector<PlanTarget> targets = Recognize(KnownById());
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(targets[0].block, block_);
  EXPECT_EQ(tensors_.at(1), block_);
  EXPECT_EQ(block_->tensor, 1);
  EXPECT_EQ(tensors_.at(0), nullptr);
}

TEST_F(PlanTensorsTest, RecognisesABlockByHowTheStepBeforeBoreIt) {
  block_->birth_tag = kTag;
  block_->birth_step = kStep - 2;
  Recognize(KnownByTag());
  EXPECT_EQ(tensors_.at(1), nullptr);
  block_->birth_step = kStep - 1;
  Recognize(KnownByTag());
  EXPECT_EQ(tensors_.at(1), block_);
}

TEST_F(PlanTensorsTest, FastPlacesAreCountedFromWhereThePlanBegins) {
  const Place fast{session::kFastTier, kRoomBegin + kPage};
  EXPECT_EQ(Recognize(KnownById())[0].place, fast);
  const Place slow{1, kPage};
  EXPECT_EQ(Recognize(KnownById(/*tier=*/1))[0].place, slow);
}

TEST_F(PlanTensorsTest, InTheMiddleOfAStepTensorsAreWhereMovesHaveBroughtThem) {
  PlanTable plan = KnownById();
  plan.moves = {{.tensor = 1,
                 .from_tier = 0,
                 .to_tier = 1,
                 .start_kernel = 2,
                 .deadline_kernel = 4,
                 .to_offset_bytes = 5 * kPage}};
  const Place before{session::kFastTier, kRoomBegin + kPage};
  const Place after{1, 5 * kPage};
  const auto place_at = [&](int32_t boundary) {
    return tensors_.Recognize(plan, kStep, kRoomBegin, boundary)[0].place;
  };
  EXPECT_EQ(place_at(0), before);
  EXPECT_EQ(place_at(3), before);
  EXPECT_EQ(place_at(4), after);
}

TEST_F(PlanTensorsTest, RecognisesABlockThatTheStepItselfBore) {
  PlanTable plan = PlanOf(session::kFastTier, 2 * kPage);
  plan.allocations = {{.tensor = 2,
                       .tier = session::kFastTier,
                       .offset_bytes = 7 * kPage,
                       .size_bytes = 2 * kPage}};
  plan.birth_by_tag[kTag] = {.allocation = 0, .kernel = 3};
  // Moves before its birth are those of its predecessor.
  plan.moves = {{.tensor = 2, .to_tier = 1, .start_kernel = 1}};
  block_->birth_tag = kTag;
  block_->birth_step = kStep;
  const std::vector<PlanTarget> targets =
      tensors_.Recognize(plan, kStep, kRoomBegin, /*boundary=*/5);
  ASSERT_EQ(targets.size(), 1u);
  EXPECT_EQ(tensors_.at(2), block_);
  EXPECT_EQ(targets[0].place,
            (Place{session::kFastTier, kRoomBegin + 7 * kPage}));
}

TEST_F(PlanTensorsTest, ABlockOfAnotherSizeIsNoTensorOfThePlan) {
  EXPECT_TRUE(Recognize(KnownById(session::kFastTier, kPage)).empty());
  EXPECT_EQ(block_->tensor, -1);
}

TEST_F(PlanTensorsTest, ABlockThatIsSetAsideIsNoTensorOfThePlan) {
  block_->set_aside = true;
  EXPECT_TRUE(Recognize(KnownById()).empty());
}

TEST_F(PlanTensorsTest, AnotherPlanForgetsTheNamesOfTheFirst) {
  Recognize(KnownById());
  Recognize(PlanOf(session::kFastTier, kPage));
  EXPECT_EQ(tensors_.at(1), nullptr);
  EXPECT_EQ(block_->tensor, -1);
}

TEST_F(PlanTensorsTest, ABlockThatOutlivedItsPartLeavesItToTheNext) {
  Recognize(KnownById());
  Block* next = memory_.Make(&other_storage_, 2 * kPage, 'b');
  tensors_.Name(next, 1);
  EXPECT_EQ(block_->tensor, 1);
  tensors_.Forget(block_);
  EXPECT_EQ(block_->tensor, -1);
  EXPECT_EQ(tensors_.at(1), next);
  tensors_.Forget(next);
  EXPECT_EQ(tensors_.at(1), nullptr);
}

TEST_F(PlanTensorsTest, AStrangerTakesThePartOfATensor) {
  Recognize(KnownById());
  Block* stranger = memory_.Make(&other_storage_, 2 * kPage, 'b');
  tensors_.Replace(block_, stranger);
  EXPECT_EQ(tensors_.at(1), stranger);
  EXPECT_EQ(stranger->tensor, 1);
  EXPECT_EQ(block_->tensor, -1);
}

}  // namespace
}  // namespace stowage::runtime
