#include "client_sdk/runtime/steps/step_mode.h"

#include <algorithm>
#include <map>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

using enum StepMode;
using enum StepEvent;

constexpr StepMode kModes[] = {kDemand, kPlan, kGuided, kOffPlan, kProfile};
constexpr StepEvent kEvents[] = {kStepBegins, kPlanStarts,   kPlanCannotStart,
                                 kSurprise,   kGuidanceEnds, kProfileTaken};

TEST(StepModeTest, EachStepBeginsInDemandMode) {
  for (const StepMode mode : kModes) {
    EXPECT_EQ(Next(mode, kStepBegins), kDemand);
  }
}

TEST(StepModeTest, APlanStartsAtTheBeginning) {
  EXPECT_EQ(Next(kDemand, kPlanStarts), kPlan);
}

TEST(StepModeTest, APlanThatCannotStartGuides) {
  EXPECT_EQ(Next(kDemand, kPlanCannotStart), kGuided);
}

TEST(StepModeTest, APlanThatWasLeftGuides) {
  EXPECT_EQ(Next(kPlan, kSurprise), kGuided);
}

TEST(StepModeTest, GuidanceEndsOffThePlan) {
  EXPECT_EQ(Next(kGuided, kGuidanceEnds), kOffPlan);
}

TEST(StepModeTest, StepsWithoutAPlanAreProfiled) {
  EXPECT_EQ(Next(kDemand, kProfileTaken), kProfile);
  EXPECT_EQ(Next(kOffPlan, kProfileTaken), kProfile);
}

// "-" in the table.
TEST(StepModeDeathTest, NoOtherEventHasANextMode) {
  const std::map<StepEvent, std::vector<StepMode>> possible = {
      {kPlanStarts, {kDemand}},
      {kPlanCannotStart, {kDemand}},
      {kSurprise, {kPlan}},
      {kGuidanceEnds, {kGuided}},
      {kProfileTaken, {kDemand, kOffPlan}}};
  for (const StepEvent event : kEvents) {
    for (const StepMode mode : kModes) {
      if (event == kStepBegins) continue;
      const std::vector<StepMode>& modes = possible.at(event);
      if (std::find(modes.begin(), modes.end(), mode) != modes.end()) continue;
      EXPECT_DEATH(Next(mode, event), "");
    }
  }
}

}  // namespace
}  // namespace stowage::runtime
