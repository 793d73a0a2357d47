#include "client_sdk/runtime/plan_library.h"

#include <vector>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

PlanTable PlanFor(uint64_t signature, uint64_t number = 1) {
  PlanTable plan;
  plan.signature = signature;
  plan.number = number;
  return plan;
}

TEST(PlanLibraryTest, ExpectsThePlanOfTheKindThatFollowedLastTime) {
  PlanLibrary plans;
  plans.Add(PlanFor(1));
  plans.Add(PlanFor(2));
  for (const uint64_t signature : {1, 2, 1}) plans.EndStep(signature);
  ASSERT_NE(plans.Expected(), nullptr);
  EXPECT_EQ(plans.Expected()->signature, 2u);
  plans.EndStep(2);
  EXPECT_EQ(plans.Expected()->signature, 1u);
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
  plans.NoteFollowed(plan);
  EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
}

TEST(PlanLibraryTest, ANewPlanStartsWithoutSurprises) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) plans.NoteSurprise(plan);
  plans.Add(plan);
  EXPECT_TRUE(plans.Tries(plan, /*step=*/17));
}

TEST(PlanLibraryTest, StepsThatFollowAPlanAreProfiledAgainEverMoreRarely) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  std::vector<int> profiled;
  for (int step = 1; step <= 40; ++step) {
    if (!plans.NoteFollowed(plan)) continue;
    plans.NoteProfiledAgain(plan);
    profiled.push_back(step);
  }
  EXPECT_EQ(profiled, (std::vector<int>{2, 8, 32}));
}

TEST(PlanLibraryTest, AProfileThatCouldNotBePublishedIsWantedOfTheNextStep) {
  PlanLibrary plans;
  const PlanTable plan = PlanFor(1);
  EXPECT_FALSE(plans.NoteFollowed(plan));
  EXPECT_TRUE(plans.NoteFollowed(plan));
  EXPECT_TRUE(plans.NoteFollowed(plan));
}

TEST(PlanLibraryTest, EachKindIsProfiledOnceAndNoMoreThanTenKindsAre) {
  PlanLibrary plans;
  for (int kind = 0; kind < PlanLibrary::kMaxKinds; ++kind) {
    EXPECT_TRUE(plans.WantsProfile(kind));
    plans.NoteProfiled(kind);
    EXPECT_FALSE(plans.WantsProfile(kind));
  }
  EXPECT_FALSE(plans.WantsProfile(PlanLibrary::kMaxKinds));
}

TEST(PlanLibraryTest, AKindWhosePlanWasOutgrownIsProfiledAnewEverMoreRarely) {
  PlanLibrary plans;
  std::vector<int> forgotten;
  for (int time = 1; time <= 9; ++time) {
    plans.Add(PlanFor(1));
    plans.NoteProfiled(1);
    plans.EndStep(1);
    if (!plans.ForgetOutgrown(*plans.Expected())) continue;
    forgotten.push_back(time);
    EXPECT_EQ(plans.Expected(), nullptr);
    EXPECT_TRUE(plans.WantsProfile(1));
  }
  EXPECT_EQ(forgotten, (std::vector<int>{1, 2, 4, 8}));
}

}  // namespace
}  // namespace stowage::runtime
