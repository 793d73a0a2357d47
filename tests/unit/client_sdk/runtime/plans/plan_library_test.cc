#include "client_sdk/runtime/plans/plan_library.h"

#include <vector>

#include "client_sdk/runtime/steps/step_profile.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kLimitBytes = 100 << 20;

PlanTable PlanFor(uint64_t signature, uint64_t number = 1) {
  PlanTable plan;
  plan.signature = signature;
  plan.number = number;
  return plan;
}

TEST(PlanLibraryTest, ExpectsThePlanOfTheKindThatFollowed) {
  PlanLibrary plans;
  plans.Add(PlanFor(1));
  plans.Add(PlanFor(2));
  for (const uint64_t signature : {1, 2, 1}) plans.EndStep(signature);
  ASSERT_NE(plans.Expected(), nullptr);
  EXPECT_EQ(plans.Expected()->signature, 2u);
  plans.EndStep(2);
  EXPECT_EQ(plans.Expected()->signature, 1u);
}

TEST(PlanLibraryTest, AKindThatFollowsForOnceIsNotExpectedAgain) {
  PlanLibrary plans;
  plans.Add(PlanFor(1));
  plans.Add(PlanFor(2));
  for (const uint64_t signature : {1, 1, 1, 2, 1}) plans.EndStep(signature);
  EXPECT_EQ(plans.Expected()->signature, 1u);
  for (const uint64_t signature : {2, 1, 2, 1}) plans.EndStep(signature);
  EXPECT_EQ(plans.Expected()->signature, 2u);
}

// Two kernels; the second allocates.
PlanTable PlanOfKernels(uint64_t signature, uint64_t second_key,
                        int64_t size_bytes) {
  PlanTable plan = PlanFor(signature);
  plan.kernels = {{.key = 10}, {.key = second_key, .allocation_count = 1}};
  plan.allocations = {{.size_bytes = size_bytes}};
  return plan;
}

TEST(PlanLibraryTest, FindsThePlanOfTheStepsThatPassAPosition) {
  PlanLibrary plans;
  plans.Add(PlanOfKernels(1, /*second_key=*/11, 100));
  plans.Add(PlanOfKernels(2, /*second_key=*/11, 200));
  plans.Add(PlanOfKernels(3, /*second_key=*/12, 100));
  StepProfile step;
  step.Begin();
  step.AddKernel(10, "first", 0);
  step.AddKernel(12, "second", 0);
  const PlanTable* plan = plans.FindPassing(
      {.signature = step.signature(), .kernel = 1, .births = 0});
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(plan->signature, 3u);
  Block born{.size_bytes = 300};
  step.AddBirth(1, 0, &born);
  EXPECT_EQ(plans.FindPassing(
                {.signature = step.signature(), .kernel = 1, .births = 1}),
            nullptr);
}

TEST(PlanLibraryTest, TellsPlansApartByWhatTheirKernelsAllocate) {
  PlanLibrary plans;
  plans.Add(PlanOfKernels(1, /*second_key=*/11, 100));
  plans.Add(PlanOfKernels(2, /*second_key=*/11, 200));
  StepProfile step;
  step.Begin();
  step.AddKernel(10, "first", 0);
  step.AddKernel(11, "second", 0);
  Block born{.size_bytes = 200};
  step.AddBirth(1, 0, &born);
  const StepPosition position{
      .signature = step.signature(), .kernel = 1, .births = 1};
  ASSERT_NE(plans.FindPassing(position), nullptr);
  EXPECT_EQ(plans.FindPassing(position)->signature, 2u);
}

TEST(PlanLibraryTest, ExpectsTheSameKindAgainWhereNoneHasFollowed) {
  PlanLibrary plans;
  EXPECT_EQ(plans.Expected(), nullptr);
  plans.Add(PlanFor(1));
  EXPECT_EQ(plans.Expected(), nullptr);
  plans.EndStep(1);
  ASSERT_NE(plans.Expected(), nullptr);
  EXPECT_EQ(plans.Expected()->signature, 1u);
}

TEST(PlanLibraryTest, ExpectsThePlanThatWasFollowedAfterANewKindWithoutOne) {
  PlanLibrary plans;
  plans.Add(PlanFor(1));
  for (int step = 0; step < 3; ++step) {
    plans.NoteFollowed(PlanFor(1), kLimitBytes);
    plans.EndStep(1);
  }
  plans.EndStep(2);
  ASSERT_NE(plans.Expected(), nullptr);
  EXPECT_EQ(plans.Expected()->signature, 1u);
}

TEST(PlanLibraryTest, ANewPlanTakesTheOldOnesPlace) {
  PlanLibrary plans;
  plans.Add(PlanFor(1, /*number=*/1));
  plans.EndStep(1);
  plans.Add(PlanFor(1, /*number=*/2));
  EXPECT_EQ(plans.Expected()->number, 2u);
}

TEST(PlanLibraryTest, APlanThatSurprisesAgainAndAgainIsTriedRarely) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.Add(plan);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) {
    EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
    plans.NoteSurprise(plan);
  }
  EXPECT_FALSE(plans.Tries(plan, /*step=*/17));
  EXPECT_TRUE(plans.Tries(plan, /*step=*/2 * PlanLibrary::kRetryEverySteps));
}

TEST(PlanLibraryTest, AStepThatFollowsItsPlanMakesUpForSurprises) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) plans.NoteSurprise(plan);
  plans.NoteFollowed(plan, kLimitBytes);
  EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
}

TEST(PlanLibraryTest, StepsOfOtherKindsAreForgottenWhenOneOfItsKindComes) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.Add(plan);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) {
    plans.NoteOtherKind(plan);
  }
  plans.EndStep(2);
  EXPECT_FALSE(plans.Tries(plan, /*step=*/17));
  plans.EndStep(1);
  EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
}

TEST(PlanLibraryTest, WhatWentWrongInStepsOfItsOwnKindIsNotForgotten) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.Add(plan);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) plans.NoteSurprise(plan);
  plans.NoteOtherKind(plan);
  plans.EndStep(1);
  EXPECT_FALSE(plans.Tries(plan, /*step=*/17));
}

TEST(PlanLibraryTest, APlanThatStepsOfItsOwnKindLeaveIsStale) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.Add(plan);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) {
    plans.NoteOtherKind(plan);
    EXPECT_FALSE(plans.IsStale(plan));
    plans.NoteSurprise(plan);
  }
  EXPECT_TRUE(plans.IsStale(plan));
  plans.Add(PlanFor(1, /*number=*/2));
  EXPECT_FALSE(plans.IsStale(plan));
}

TEST(PlanLibraryTest, ANewPlanStartsWithoutSurprises) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) plans.NoteSurprise(plan);
  plans.Add(plan);
  EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
}

// A kind that was profiled, whose plan is measured to be slower than demand
// mode.
PlanLibrary WithSlowPlan(const PlanTable& plan) {
  PlanLibrary plans;
  plans.NoteProfiled(plan.signature, kLimitBytes);
  plans.NoteDuration(plan.signature, Driver::kDemand, 100);
  plans.Add(plan);
  for (int step = 0; step < 50; ++step) {
    const Driver driver = plans.Choice(plan).next();
    plans.NoteDuration(plan.signature, driver,
                       driver == Driver::kPlan ? 200 : 100);
  }
  return plans;
}

TEST(PlanLibraryTest, TheFasterOneOfPlanAndDemandModeIsChosen) {
  const PlanTable plan = PlanFor(1);
  EXPECT_EQ(WithSlowPlan(plan).Choice(plan).next(), Driver::kDemand);
}

TEST(PlanLibraryTest, AnotherPlanIsComparedAnewAndTheSameOneIsNot) {
  PlanTable plan = PlanFor(1);
  PlanLibrary plans = WithSlowPlan(plan);
  plan.number = 2;
  plans.Add(plan);
  EXPECT_EQ(plans.Choice(plan).next(), Driver::kDemand);
  plan.moves.push_back({.tensor = 0, .to_tier = 1});
  plans.Add(plan);
  EXPECT_EQ(plans.Choice(plan).next(), Driver::kPlan);
}

TEST(PlanLibraryTest, APlanInPlaceOfOneThatWasForgottenIsComparedAnew) {
  const PlanTable plan = PlanFor(1);
  PlanLibrary plans = WithSlowPlan(plan);
  plans.ForgetOutgrown(plan);
  plans.Add(plan);
  EXPECT_EQ(plans.Choice(plan).next(), Driver::kPlan);
}

TEST(PlanLibraryTest, StepsThatFollowAPlanAreProfiledAgainEverMoreRarely) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.NoteProfiled(1, kLimitBytes);
  std::vector<int> profiled;
  for (int step = 1; step <= 40; ++step) {
    if (!plans.NoteFollowed(plan, kLimitBytes)) continue;
    plans.NoteProfiledAgain(plan);
    profiled.push_back(step);
  }
  EXPECT_EQ(profiled, (std::vector<int>{2, 8, 32}));
}

TEST(PlanLibraryTest, AProfileThatCouldNotBePublishedIsWantedOfTheNextStep) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.NoteProfiled(1, kLimitBytes);
  EXPECT_FALSE(plans.NoteFollowed(plan, kLimitBytes));
  EXPECT_TRUE(plans.NoteFollowed(plan, kLimitBytes));
  EXPECT_TRUE(plans.NoteFollowed(plan, kLimitBytes));
}

TEST(PlanLibraryTest, AStepThatFollowsIsProfiledAgainWhenTheLimitHasGrown) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  plans.NoteProfiled(1, kLimitBytes);
  EXPECT_FALSE(plans.NoteFollowed(plan, kLimitBytes + kLimitBytes / 50));
  plans.NoteProfiledAgain(plan);
  EXPECT_TRUE(plans.NoteFollowed(plan, kLimitBytes + kLimitBytes / 25));
  plans.NoteProfiledAgain(plan);
  plans.NoteProfiled(1, kLimitBytes + kLimitBytes / 25);
  EXPECT_FALSE(plans.NoteFollowed(plan, kLimitBytes + kLimitBytes / 25));
}

TEST(PlanLibraryTest, PlansForAnotherLimitThatWasOrderedAreForgotten) {
  PlanLibrary plans;
  plans.NoteProfiled(1, kLimitBytes);
  PlanTable plan = PlanFor(1);
  plan.fast_limit_bytes = kLimitBytes;
  plans.Add(plan);
  plans.ForgetOtherLimits(kLimitBytes);
  EXPECT_NE(plans.Find(1), nullptr);
  EXPECT_FALSE(plans.WantsProfile(1, kLimitBytes));
  plans.ForgetOtherLimits(kLimitBytes / 2);
  EXPECT_EQ(plans.Find(1), nullptr);
  EXPECT_TRUE(plans.WantsProfile(1, kLimitBytes / 2));
}

TEST(PlanLibraryTest, AKindWithoutAPlanIsProfiledAnewWhenTheLimitHasGrown) {
  PlanLibrary plans;
  plans.EndStep(1);
  plans.NoteProfiled(1, kLimitBytes);
  EXPECT_FALSE(plans.WantsProfile(1, kLimitBytes + kLimitBytes / 50));
  EXPECT_TRUE(plans.WantsProfile(1, kLimitBytes + kLimitBytes / 25));
  plans.Add(PlanFor(1));
  EXPECT_FALSE(plans.WantsProfile(1, kLimitBytes + kLimitBytes / 25));
}

TEST(PlanLibraryTest, EachKindIsProfiledOnceAndNoMoreThanTenKindsAre) {
  PlanLibrary plans;
  for (int kind = 0; kind < PlanLibrary::kMaxKinds; ++kind) {
    for (int step = 0; step < 2; ++step) plans.EndStep(kind);
    EXPECT_TRUE(plans.WantsProfile(kind, kLimitBytes));
    plans.NoteProfiled(kind, kLimitBytes);
    EXPECT_FALSE(plans.WantsProfile(kind, kLimitBytes));
  }
  for (int step = 0; step < 2; ++step) plans.EndStep(PlanLibrary::kMaxKinds);
  EXPECT_FALSE(plans.WantsProfile(PlanLibrary::kMaxKinds, kLimitBytes));
}

TEST(PlanLibraryTest, KindsThatNeverComeAgainLeaveProfilesToThoseThatDo) {
  PlanLibrary plans;
  for (int kind = 0; kind < 1000; ++kind) {
    plans.EndStep(kind);
    if (plans.WantsProfile(kind, kLimitBytes)) {
      plans.NoteProfiled(kind, kLimitBytes);
    }
  }
  plans.EndStep(1000);
  EXPECT_FALSE(plans.WantsProfile(1000, kLimitBytes));
  plans.EndStep(1000);
  EXPECT_TRUE(plans.WantsProfile(1000, kLimitBytes));
}

TEST(PlanLibraryTest, AKindWhosePlanWasOutgrownIsProfiledAnewEverMoreRarely) {
  PlanLibrary plans;
  std::vector<int> forgotten;
  for (int time = 1; time <= 9; ++time) {
    plans.Add(PlanFor(1));
    plans.NoteProfiled(1, kLimitBytes);
    plans.EndStep(1);
    if (!plans.ForgetOutgrown(*plans.Expected())) continue;
    forgotten.push_back(time);
    EXPECT_EQ(plans.Expected(), nullptr);
    EXPECT_TRUE(plans.WantsProfile(1, kLimitBytes));
  }
  EXPECT_EQ(forgotten, (std::vector<int>{1, 2, 4, 8}));
}

TEST(PlanLibraryTest, APlanThatHasServedIsMadeAnewWheneverItIsOutgrown) {
  PlanLibrary plans;
  for (int time = 0; time < 5; ++time) {
    plans.Add(PlanFor(1));
    plans.EndStep(1);
    for (int step = 0; step < PlanLibrary::kServedSteps; ++step) {
      plans.NoteFollowed(*plans.Expected(), kLimitBytes);
    }
    EXPECT_TRUE(plans.ForgetOutgrown(*plans.Expected()));
  }
}

}  // namespace
}  // namespace stowage::runtime
