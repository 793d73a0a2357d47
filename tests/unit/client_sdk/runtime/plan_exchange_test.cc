#include "client_sdk/runtime/plan_exchange.h"

#include <cstring>
#include <semaphore>
#include <string>

#include "client_sdk/session/clock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kPatientNs = 300'000'000'000;

// Makes a plan without tensors.
bool PlanNothing(const session::ProfileArea& profile, session::PlanArea* plan) {
  plan->signature = profile.signature;
  return true;
}

class PlanExchangeTest : public testing::Test {
 protected:
  explicit PlanExchangeTest(
      const Planner& planner = PlanNothing,
      const JobSettings& settings = {.plan_wait_ns = kPatientNs})
      : memory_({.planner = planner}),
        segment_(*memory_.client.segment()),
        publisher_(&memory_.client, &memory_.blocks, &memory_.mover),
        plans_(&memory_.client, &publisher_, settings) {
    BeginStep(/*index=*/1);
  }

  void BeginStep(int64_t index, uint64_t kernel_key = 5) {
    step_.Begin(/*now_ns=*/0);
    step_.index = index;
    step_.profile.AddKernel(kernel_key, "relu", /*gap_ns=*/0);
  }
  // Returns whether a plan came of it.
  bool Exchange() {
    plans_.WriteProfile(step_, /*overhead_bytes=*/0);
    plans_.AwaitPlan(step_, /*limit_is_awaited=*/false, /*kind=*/0);
    plans_.TakePlans(step_.limit_bytes);
    plans_.library()->EndStep(step_.profile.signature());
    return plans_.library()->Expected() != nullptr;
  }
  std::string LastEvent() {
    const session::EventLog& log = segment_.report.process_events;
    return log.written == 0 ? "" : log.entries[log.written - 1].reason;
  }

  PlacedMemory memory_;
  session::Segment& segment_;
  StepPublisher publisher_;
  PlanExchange plans_;
  RunningStep step_;
};

struct DemandOnlyExchangeTest : PlanExchangeTest {
  DemandOnlyExchangeTest()
      : PlanExchangeTest(PlanNothing, {.demand_only = true}) {}
};

struct PlansOnlyExchangeTest : PlanExchangeTest {
  PlansOnlyExchangeTest()
      : PlanExchangeTest(PlanNothing,
                         {.plans_only = true, .plan_wait_ns = kPatientNs}) {}
};

// Makes no plan before it is told to, and nobody is patient.
struct LateExchangeTest : PlanExchangeTest {
  LateExchangeTest()
      : PlanExchangeTest(
            [this](const session::ProfileArea& profile,
                   session::PlanArea* plan) {
              may_plan_.acquire();
              return PlanNothing(profile, plan);
            },
            {.plan_wait_ns = 0}) {}
  std::binary_semaphore may_plan_{0};
};

struct RefusingExchangeTest : PlanExchangeTest {
  RefusingExchangeTest() : PlanExchangeTest(nullptr) {}
};

// Makes a plan for 2 MiB, and after it one for 4 MiB.
struct ShrinkingExchangeTest : PlanExchangeTest {
  ShrinkingExchangeTest()
      : PlanExchangeTest([this](const session::ProfileArea& profile,
                                session::PlanArea* plan) {
          plan->fast_limit_bytes = int64_t{++made_} * 2 << 20;
          return PlanNothing(profile, plan);
        }) {
    step_.limit_bytes = 3 << 20;
  }
  int made_ = 0;
};

struct MalformedExchangeTest : PlanExchangeTest {
  MalformedExchangeTest()
      : PlanExchangeTest(
            [](const session::ProfileArea&, session::PlanArea* plan) {
              plan->kernel_count = session::kMaxKernels + 1;
              return true;
            }) {}
};

TEST_F(PlanExchangeTest, APlanComesOfAProfile) {
  ASSERT_TRUE(plans_.WantsProfile(step_));
  EXPECT_TRUE(Exchange());
  const PlanTable* plan = plans_.library()->Expected();
  EXPECT_EQ(plan->signature, step_.profile.signature());
  EXPECT_EQ(plan->number, 1u);
  EXPECT_EQ(segment_.plans_taken, 1u);
}

TEST_F(PlanExchangeTest, AKindOfStepIsProfiledOnce) {
  Exchange();
  EXPECT_FALSE(plans_.WantsProfile(step_));
  BeginStep(/*index=*/2, /*kernel_key=*/6);
  EXPECT_TRUE(plans_.WantsProfile(step_));
}

TEST_F(PlanExchangeTest, APlanOfAnotherKindIsNotTheOneThatIsWaitedFor) {
  plans_.WriteProfile(step_, /*overhead_bytes=*/0);
  plans_.AwaitPlan(step_, /*limit_is_awaited=*/false, /*kind=*/0);
  const uint64_t first = step_.profile.signature();
  BeginStep(/*index=*/2, /*kernel_key=*/6);
  EXPECT_TRUE(Exchange());
  EXPECT_NE(plans_.library()->Find(first), nullptr);
  EXPECT_NE(plans_.library()->Find(step_.profile.signature()), nullptr);
}

TEST_F(PlanExchangeTest, TheFirstProfileOfAKindWaitsForTheAgent) {
  plans_.WriteProfile(step_, /*overhead_bytes=*/0);
  BeginStep(/*index=*/2, /*kernel_key=*/6);
  step_.limit_bytes = 1;
  EXPECT_TRUE(plans_.WantsProfile(step_));
}

TEST_F(LateExchangeTest, OnlyAStepThatTookLongWaitsForAPlanThatIsLate) {
  step_.begin_ns = session::NowNs();
  EXPECT_FALSE(Exchange());
  may_plan_.release();
  step_.begin_ns -= kPatientNs;
  plans_.AwaitPlan(step_, /*limit_is_awaited=*/false, /*kind=*/0);
  plans_.TakePlans(step_.limit_bytes);
  EXPECT_NE(plans_.library()->Find(step_.profile.signature()), nullptr);
}

TEST_F(PlanExchangeTest, TheFirstStepIsNotProfiled) {
  BeginStep(/*index=*/0);
  EXPECT_FALSE(plans_.WantsProfile(step_));
}

TEST_F(ShrinkingExchangeTest, AnOldPlanForMoreLeavesTheOneForThisLimit) {
  EXPECT_TRUE(Exchange());
  EXPECT_TRUE(Exchange());
  EXPECT_EQ(plans_.library()->Expected()->fast_limit_bytes, 2 << 20);
  EXPECT_EQ(segment_.plans_taken, 2u);
}

TEST_F(ShrinkingExchangeTest, AStepWithOnlyAnOldPlanForMoreIsProfiledAgain) {
  made_ = 1;
  EXPECT_FALSE(Exchange());
  EXPECT_TRUE(plans_.WantsProfile(step_));
}

TEST_F(DemandOnlyExchangeTest, AJobOnDemandWantsNoProfile) {
  EXPECT_FALSE(plans_.WantsProfile(step_));
}

TEST_F(RefusingExchangeTest, NobodyWaitsForAPlanThatIsRefused) {
  EXPECT_FALSE(Exchange());
  EXPECT_EQ(LastEvent(), "");
}

TEST_F(PlanExchangeTest, NobodyWaitsForAnAgentThatIsGone) {
  memory_.agent.HangUp();
  EXPECT_LT(plans_.AwaitPlan(step_, /*limit_is_awaited=*/false, /*kind=*/0),
            kPatientNs);
}

TEST_F(MalformedExchangeTest, AMalformedPlanIsReportedAndDropped) {
  EXPECT_FALSE(Exchange());
  EXPECT_EQ(LastEvent(), "plan-malformed");
  EXPECT_EQ(segment_.plans_taken, 1u);
}

TEST_F(PlanExchangeTest, TheSecondStepThatFollowsItsPlanIsProfiledAgain) {
  Exchange();
  step_.plan = plans_.library()->Expected();
  EXPECT_FALSE(plans_.WantsProfileAgain(step_));
  EXPECT_TRUE(plans_.WantsProfileAgain(step_));
  plans_.WriteProfileAgain(step_, /*overhead_bytes=*/0);
  EXPECT_EQ(segment_.profiles_written, 2u);
  EXPECT_FALSE(plans_.WantsProfileAgain(step_));
}

// Steps of 200 ns under the plan and of 100 ns without. Returns whether demand
// mode drives the last one.
bool DemandWins(PlanExchange* plans, RunningStep step) {
  const PlanTable* plan = plans->library()->Expected();
  for (int i = 0; i < 50; ++i) {
    const bool planned =
        plans->library()->Choice(*plan).next() == Driver::kPlan;
    step.plan = planned ? plan : nullptr;
    plans->NoteDuration(step, planned ? 200 : 100);
  }
  return step.plan == nullptr;
}

TEST_F(PlanExchangeTest, StepsAreTimedAndTheFasterWayIsTaken) {
  Exchange();
  EXPECT_TRUE(DemandWins(&plans_, step_));
}

TEST_F(PlansOnlyExchangeTest, NothingIsTimedWherePlansAreToBeFollowed) {
  Exchange();
  EXPECT_FALSE(DemandWins(&plans_, step_));
}

TEST_F(PlanExchangeTest, StepsThatLeftTheirPlanAreNotTimed) {
  Exchange();
  step_.fallbacks = 1;
  EXPECT_FALSE(DemandWins(&plans_, step_));
}

TEST_F(PlanExchangeTest, WhatTheAgentExpectsIsPrintedOnce) {
  testing::internal::CaptureStderr();
  plans_.TellForecast();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  std::strcpy(segment_.report.forecast.line, "no plan: nobody answers");
  segment_.report.forecast.kind = session::kForecastNoPlan;
  plans_.TellForecast();
  plans_.TellForecast();
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "stowage: no plan: nobody answers\n");
}

// Follows a plan for some steps. Returns what is printed, where the agent
// expects 120 ns for a step that takes 100 ns alone.
std::string ToldAfter(PlanExchange* plans, session::Forecast* forecast,
                      RunningStep step, int64_t step_ns) {
  forecast->alone_step_ns = 100;
  forecast->step_ns = 120;
  forecast->kind = session::kForecastPlan;
  step.plan = plans->library()->Expected();
  testing::internal::CaptureStderr();
  plans->TellForecast();
  for (int i = 0; i < 12; ++i) {
    plans->NoteDuration(step, step_ns);
    plans->TellMissedForecast(step);
  }
  return testing::internal::GetCapturedStderr();
}

struct AloneExchangeTest : PlanExchangeTest {
  AloneExchangeTest()
      : PlanExchangeTest(
            [](const session::ProfileArea& profile, session::PlanArea* plan) {
              plan->predicted = {.step_ns = 140, .stall_ns = 40};
              return PlanNothing(profile, plan);
            }) {}
};

TEST_F(AloneExchangeTest, StepsThatTakeLongerThanWasToldAreToldOnce) {
  ASSERT_TRUE(Exchange());
  EXPECT_EQ(ToldAfter(&plans_, &segment_.report.forecast, step_, 203),
            "stowage: \nstowage: steps take at least 2.03x the time of "
            "training alone, and 1.2x was expected; stowage explain REPORT "
            "says why\n");
}

TEST_F(AloneExchangeTest, StepsThatTakeWhatWasToldAreNotToldAgain) {
  ASSERT_TRUE(Exchange());
  EXPECT_EQ(ToldAfter(&plans_, &segment_.report.forecast, step_, 150),
            "stowage: \n");
}

TEST_F(AloneExchangeTest, StepsOfAnotherKindAreNotWhatWasToldOf) {
  ASSERT_TRUE(Exchange());
  BeginStep(/*index=*/2, /*kernel_key=*/6);
  ASSERT_TRUE(Exchange());
  EXPECT_EQ(ToldAfter(&plans_, &segment_.report.forecast, step_, 203),
            "stowage: \n");
}

TEST_F(PlanExchangeTest, AStalePlanIsForgottenForAReasonOfItsOwn) {
  Exchange();
  const PlanTable plan = *plans_.library()->Expected();
  for (int i = 0; i < PlanLibrary::kMaxSurprises; ++i) {
    plans_.library()->NoteSurprise(plan);
  }
  EXPECT_TRUE(plans_.ForgetOutgrown(plan));
  const session::EventLog& log = segment_.report.process_events;
  EXPECT_THAT(log.entries[log.written - 1].detail,
              testing::StartsWith("steps of its kind leave"));
}

TEST_F(PlanExchangeTest, APlanThatIsOutgrownIsForgottenAndReported) {
  Exchange();
  const PlanTable plan = *plans_.library()->Expected();
  EXPECT_TRUE(plans_.ForgetOutgrown(plan));
  EXPECT_EQ(LastEvent(), "plan-outgrown");
  EXPECT_EQ(plans_.library()->Expected(), nullptr);
  EXPECT_TRUE(plans_.WantsProfile(step_));
}

}  // namespace
}  // namespace stowage::runtime
