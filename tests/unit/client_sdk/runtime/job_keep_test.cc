// Keeps tensors in fast memory that the user wants there.
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void Keep(FakeTensor* tensor, bool again = false) {
  tensor->job->KeepFast({&tensor->storage}, again);
}

std::string ErrorOf(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Lets kernels use so much that all else has to leave.
void Crowd(FakeProcess* process, int64_t units) {
  std::vector<TensorPtr> tensors;
  for (int64_t i = 0; i < units; ++i) tensors.push_back(process->New(kUnit));
  for (const TensorPtr& tensor : tensors) {
    process->Run("use", {.reads = {tensor.get()}});
  }
}

class JobKeepTest : public testing::Test {
 protected:
  explicit JobKeepTest(int64_t limit_units = 20, double share = 0)
      : process_({.fast_bytes = 60 * kUnit,
                  .slow_bytes = 200 * kUnit,
                  .limit_bytes = limit_units * kUnit,
                  .limit_fraction = share}) {}

  void Step(int64_t units) {
    Crowd(&process_, units);
    process_.job().EndStep();
  }

  FakeProcess process_;
};

class JobKeepShareTest : public JobKeepTest {
 protected:
  JobKeepShareTest() : JobKeepTest(/*limit_units=*/0, /*share=*/0.4) {}
};

class JobKeepUnlimitedTest : public JobKeepTest {
 protected:
  JobKeepUnlimitedTest() : JobKeepTest(/*limit_units=*/0) {}
};

TEST_F(JobKeepTest, WhatIsKeptIsNotEvicted) {
  const TensorPtr kept = process_.New(2 * kUnit);
  const TensorPtr other = process_.New(2 * kUnit);
  Keep(kept.get());
  Crowd(&process_, 40);
  EXPECT_FALSE(other->fast());
  EXPECT_TRUE(kept->fast());
  EXPECT_LE(process_.FastBytes(), 20 * kUnit);
  process_.Run("check", {.reads = {kept.get(), other.get()}});
}

TEST_F(JobKeepTest, WhatWasEvictedComesBackToStay) {
  const TensorPtr kept = process_.New(2 * kUnit);
  Crowd(&process_, 40);
  ASSERT_FALSE(kept->fast());
  Keep(kept.get());
  EXPECT_TRUE(kept->fast());
  EXPECT_TRUE(FakeProcess::Intact(*kept));
}

TEST_F(JobKeepTest, WhatDoesNotFitIsRefusedWithTheLimitThatWould) {
  const TensorPtr first = process_.New(12 * kUnit);
  const TensorPtr second = process_.New(9 * kUnit);
  Keep(first.get());
  EXPECT_THAT(ErrorOf([&] { Keep(second.get()); }),
              AllOf(HasSubstr("keep_fast() cannot keep the tensor of"),
                    HasSubstr("the limit is"), HasSubstr("or more")));
  Crowd(&process_, 40);
  EXPECT_TRUE(first->fast());
  EXPECT_FALSE(second->fast());
}

TEST_F(JobKeepTest, WhatWasRefusedIsLeftOutWhenAllIsKeptAgain) {
  const TensorPtr tensor = process_.New(21 * kUnit);
  EXPECT_NE(ErrorOf([&] { Keep(tensor.get()); }), "");
  EXPECT_EQ(ErrorOf([&] { Keep(tensor.get(), /*again=*/true); }), "");
  EXPECT_NE(ErrorOf([&] { Keep(tensor.get()); }), "");
}

TEST_F(JobKeepTest, OfTensorsThatDoNotFitTogetherNoneIsKept) {
  const TensorPtr first = process_.New(12 * kUnit);
  const TensorPtr second = process_.New(9 * kUnit);
  EXPECT_THAT(ErrorOf([&] {
                process_.job().KeepFast({&first->storage, &second->storage},
                                        /*again=*/false);
              }),
              HasSubstr("and 1 more, together"));
  EXPECT_EQ(ErrorOf([&] { Keep(first.get()); }), "");
}

TEST_F(JobKeepTest, AKeptTensorThatDiesGivesItsRoomBack) {
  for (int i = 0; i < 3; ++i) {
    const TensorPtr kept = process_.New(12 * kUnit);
    Keep(kept.get());
    EXPECT_TRUE(kept->fast());
  }
}

TEST_F(JobKeepTest, AnArrayOfAKeptTensorMayComeAndGo) {
  const TensorPtr kept = process_.New(2 * kUnit);
  Keep(kept.get());
  process_.job().Unpin(process_.job().PinView(&kept->storage));
  Step(40);
  Crowd(&process_, 40);
  EXPECT_TRUE(kept->fast());
}

TEST_F(JobKeepTest, ASmallerLimitMovesWhatIsKeptBelowIt) {
  const TensorPtr kept = process_.New(2 * kUnit);
  const TensorPtr below = process_.New(4 * kUnit);
  Keep(below.get());
  Keep(kept.get());
  session::LimitArea& limits = process_.client().segment()->limits;
  limits.order = {.limit_bytes = 16 * kUnit};
  ++limits.ordered;
  Step(4);
  EXPECT_EQ(process_.job().limit_bytes(), 16 * kUnit);
  Crowd(&process_, 20);
  EXPECT_TRUE(kept->fast());
  EXPECT_TRUE(below->fast());
  EXPECT_LE(process_.FastBytes(), 16 * kUnit);
  process_.Run("check", {.reads = {kept.get(), below.get()}});
}

TEST_F(JobKeepTest, ALimitThatHasNoRoomForWhatIsKeptIsRefused) {
  const TensorPtr kept = process_.New(12 * kUnit);
  Keep(kept.get());
  session::LimitArea& limits = process_.client().segment()->limits;
  limits.order = {.limit_bytes = 10 * kUnit};
  ++limits.ordered;
  Step(4);
  EXPECT_EQ(process_.job().limit_bytes(), 20 * kUnit);
  EXPECT_GT(limits.refused_below_bytes, 12 * kUnit);
}

TEST_F(JobKeepUnlimitedTest, AFirstLimitBringsWhatIsKeptBelowIt) {
  std::vector<TensorPtr> others;
  for (int i = 0; i < 30; ++i) others.push_back(process_.New(kUnit));
  const TensorPtr kept = process_.New(2 * kUnit);
  Keep(kept.get());
  session::LimitArea& limits = process_.client().segment()->limits;
  limits.order = {.limit_bytes = 16 * kUnit};
  ++limits.ordered;
  Step(4);
  EXPECT_EQ(process_.job().limit_bytes(), 16 * kUnit);
  EXPECT_TRUE(kept->fast());
  EXPECT_LE(kept->block->place.offset_bytes, 14 * kUnit);
  Crowd(&process_, 20);
  EXPECT_LE(process_.FastBytes(), 16 * kUnit);
  process_.Run("check", {.reads = {kept.get()}});
}

TEST_F(JobKeepShareTest, AShareIsAwaitedBeforeAnythingIsKept) {
  const TensorPtr kept = process_.New(8 * kUnit);
  Keep(kept.get());  // more than 40 % of all that there is
  Step(40);
  EXPECT_TRUE(kept->fast());
  Step(40);
  EXPECT_TRUE(kept->fast());
}

TEST_F(JobKeepShareTest, AShareThatStaysTooSmallIsToldWhenAStepEnds) {
  const TensorPtr kept = process_.New(20 * kUnit);
  Keep(kept.get());
  std::string error;
  for (int i = 0; i < 4 && error.empty(); ++i) {
    error = ErrorOf([&] { Step(10); });
  }
  EXPECT_THAT(error, HasSubstr("keep_fast() cannot keep"));
  EXPECT_EQ(ErrorOf([&] { Step(10); }), "");
}

TEST(JobKeepPlanTest, APlanDrivesAroundWhatIsKept) {
  SmallTraining training;
  Keep(training.weight());
  training.WarmUp();
  for (int i = 0; i < 3; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    EXPECT_TRUE(training.weight()->fast());
  }
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobKeepPlanTest, AStepThatAPlanDrivesIsNotDisturbed) {
  SmallTraining training;
  training.WarmUp();
  training.Step();
  Keep(training.weight());
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_TRUE(training.weight()->block->set_aside);
  training.CheckContents();
}

TEST_F(JobKeepTest, ATensorFromOutsideMakesRoomUnderTheLimitFirst) {
  Crowd(&process_, 40);
  const TensorPtr tensor = process_.New(kUnit);
  process_.job().AdmitUnmanaged(4 * kUnit);
  EXPECT_LE(process_.FastBytes(), 16 * kUnit);
}

TEST_F(JobKeepTest, ATensorFromOutsideThatDoesNotFitIsRefused) {
  EXPECT_THAT(ErrorOf([&] { process_.job().AdmitUnmanaged(20 * kUnit); }),
              HasSubstr("never_manage() leaves no room"));
  const TensorPtr kept = process_.New(12 * kUnit);
  Keep(kept.get());
  EXPECT_NE(ErrorOf([&] { process_.job().AdmitUnmanaged(8 * kUnit); }), "");
}

TEST_F(JobKeepTest, PhasesAndLinesOfStepsAreTheScriptsOwn) {
  process_.job().TakeStepLines();
  EXPECT_EQ(process_.job().EnterPhase("warmup"), "");
  Step(2);
  EXPECT_STREQ(process_.last_step().phase, "warmup");
  EXPECT_THAT(process_.job().TakeStepLines(),
              HasSubstr("\"phase\":\"warmup\""));
  EXPECT_EQ(process_.job().EnterPhase(""), "warmup");
}

}  // namespace
}  // namespace stowage::runtime
