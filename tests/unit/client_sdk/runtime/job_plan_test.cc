// Trains in plan mode: steps driven by hand-made plans, and what ends them.
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "client_sdk/runtime/plans/plan_table.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(JobPlanTest, APlanDrivesTheStepsAfterTheProfiledOne) {
  SmallTraining training;
  training.WarmUp();
  EXPECT_EQ(training.last().mode, session::kStepProfile);
  training.Step();  // arranges the tensors that are alive
  for (int i = 0; i < 2; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    EXPECT_EQ(training.last().fallbacks, 0u);
    EXPECT_EQ(training.last().kernel_count, kKernels);
    EXPECT_EQ(training.last().predicted.step_ns, 123);
    EXPECT_EQ(training.last().moved_out_bytes, 0);
  }
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPlanTest, StepsThatFollowAPlanAreProfiledAgainEverMoreRarely) {
  SmallTraining training;
  training.WarmUp();
  const session::Segment& segment = *training.process().client().segment();
  const uint64_t profiles = segment.profiles_written;
  std::vector<int> profiled_after;
  for (int step = 1; step <= 40; ++step) {
    const uint64_t before = segment.profiles_written;
    // The agent takes one profile at a time.
    while (segment.profiles_taken != before) std::this_thread::yield();
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    if (segment.profiles_written != before) profiled_after.push_back(step);
  }
  EXPECT_EQ(profiles, 1);
  EXPECT_THAT(profiled_after, ElementsAre(2, 8, 32));
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

// The agent looks for moves every millisecond, and this plan waits for four.
void MoveMuch(session::PlanArea* plan) {
  MoveActivation(plan, /*from_tier=*/0, kForward3, kForward3);
  MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  AddMove(plan, Weight(*plan), /*from_tier=*/0, kBackward, kBackward);
  AddMove(plan, Weight(*plan), /*from_tier=*/1, kUpdate, kUpdate);
}

TEST(JobPlanTest, APlanThatIsSlowerThanDemandModeIsSkipped) {
  JobSettings settings = kPatient;
  settings.plans_only = false;
  SmallTraining training(MoveMuch, settings);
  training.WarmUp();
  for (int step = 0; step < 500; ++step) {
    training.Step();
    if (training.last().plan_skip == session::kDemandFaster) break;
  }
  const session::StepRecord& last = training.last();
  EXPECT_EQ(last.plan_skip, session::kDemandFaster);
  EXPECT_EQ(last.mode, session::kStepDemand);
  EXPECT_EQ(last.fallbacks, 0u);
  EXPECT_GT(last.plan_median_ns, 0);
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPlanTest, APlanDrivesWhatMustHaveIt) {
  SmallTraining training(MoveMuch, kPatient);
  training.WarmUp();
  for (int step = 0; step < 20; ++step) {
    training.Step();
    EXPECT_EQ(training.last().plan_skip, session::kPlanNotSkipped);
    EXPECT_EQ(training.last().mode, session::kStepPlan);
  }
}

TEST(JobPlanTest, AllocationsStandWhereThePlanSays) {
  SmallTraining training;
  training.WarmUp();
  const session::Segment& segment = training.process().agent().segment();
  const session::PlanAllocation& planned =
      Activation(segment.plans[segment.plans_written % 2]);
  int64_t offset_bytes = -1;
  training.Step({.in_third = [&] {
    offset_bytes = training.activation()->block->place.offset_bytes;
  }});
  EXPECT_EQ(offset_bytes,
            planned.offset_bytes + StreamWindow::BytesFor(40 * kUnit));
}

// Returns the bytes of the fast tier's pages that somebody has touched.
int64_t TouchedBytes(FakeProcess& process, int64_t fast_bytes) {
  std::vector<unsigned char> pages(fast_bytes / session::kPageBytes);
  void* base = process.client().tiers()[session::kFastTier].base;
  EXPECT_EQ(mincore(base, fast_bytes, pages.data()), 0);
  const auto touched = std::count_if(pages.begin(), pages.end(),
                                     [](unsigned char p) { return p & 1; });
  return touched * session::kPageBytes;
}

// Where the host has huge pages, the last one may be used in part.
TEST(JobPlanTest, TouchesNoMoreFastMemoryThanThePlanUses) {
  constexpr int64_t kHugePage = 2 << 20;
  SmallTraining training;
  training.WarmUp();
  const session::Segment& segment = training.process().agent().segment();
  const auto plan =
      PlanTable::Copy(segment.plans[segment.plans_written % 2], 2);
  const int64_t used_bytes =
      StreamWindow::BytesFor(40 * kUnit) + plan->fast_end_bytes;
  ASSERT_LT(used_bytes, 30 * kUnit);
  EXPECT_LE(TouchedBytes(training.process(), 60 * kUnit),
            (used_bytes + kHugePage - 1) / kHugePage * kHugePage);
}

TEST(JobPlanTest, TheAgentMovesATensorOutAndBackDuringTheStep) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  });
  training.WarmUp();
  training.Step();  // arranges the tensors that are alive
  for (int i = 0; i < 2; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    EXPECT_EQ(training.last().fallbacks, 0u);
    EXPECT_EQ(training.last().moved_out_bytes, 3 * kUnit);
    EXPECT_EQ(training.last().moved_in_bytes, 3 * kUnit);
  }
  EXPECT_EQ(training.process().agent().moves_executed(), 6);
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPlanTest, ATensorGoesToTheSlowPlaceThatThePlanHasForIt) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kForward3);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  });
  training.WarmUp();
  training.Step();
  const session::Segment& segment = training.process().agent().segment();
  Place place;
  training.Step(
      {.in_third = [&] { place = training.activation()->block->place; }});
  EXPECT_EQ(place.tier, 1);
  EXPECT_EQ(place.offset_bytes,
            Activation(segment.plans[segment.plans_written % 2]).offset_bytes);
}

TEST(JobPlanTest, MovesThatAreWaitedForTogetherAreIssuedTogether) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kForward3);
    AddMove(plan, Weight(*plan), /*from_tier=*/0, kForward3, kForward3);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
    AddMove(plan, Weight(*plan), /*from_tier=*/1, kUpdate, kUpdate);
  });
  training.WarmUp();
  training.Step();
  FakeAgent& agent = training.process().agent();
  const session::MoveLane& out = agent.segment().lanes[session::kLaneOut];
  const uint64_t before = out.issued.load();
  agent.HoldMoves();
  bool both = false;
  std::thread watcher([&] {
    for (int i = 0; i < 5000 && !both; ++i) {
      both = out.issued.load() >= before + 2;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    agent.HangUp();
  });
  training.Step();
  watcher.join();
  EXPECT_TRUE(both);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_EQ(training.last().moved_out_bytes, 5 * kUnit);
  training.CheckContents();
}

TEST(JobPlanTest, ATensorMayBeReadWhileItLeaves) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward2, kForward3);
    MoveActivation(plan, /*from_tier=*/1, kForward3, kBackward);
  });
  training.WarmUp();
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
}

TEST(JobPlanTest, AnOperandThatThePlanHasElsewhereIsFetchedIntoAGap) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
  });
  training.WarmUp();
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  training.Step();
  training.CheckContents();
}

// Lets the process or the agent do something else than planned.
class SurpriseTest : public testing::Test {
 protected:
  // Runs one step under the plan and two after it. `reason` ends plan mode in
  // the first.
  void Expect(const char* reason, SmallTraining* training,
              const SmallTraining::Variation& variation = {}) {
    training->WarmUp();
    training->Step(variation);
    EXPECT_GE(training->last().fallbacks, 1u);
    EXPECT_THAT(training->process().Events(), Contains(reason));
    training->Step();
    training->Step();
    training->CheckContents();
  }
};

TEST_F(SurpriseTest, AnotherKernel) {
  SmallTraining training;
  Expect("kernel-sequence", &training, {.second_kernel = "dropout"});
}

TEST_F(SurpriseTest, AnotherSize) {
  SmallTraining training;
  Expect("allocation-sequence", &training, {.hidden_bytes = 3 * kUnit});
}

TEST_F(SurpriseTest, FewerKernels) {
  SmallTraining training;
  Expect("step-ended-early", &training, {.skip_update = true});
}

// A step of another kind each fourth time, whose kernels or allocations differ
// from those expected at the second kernel.
void ExpectThatBothKindsArePlanned(const SmallTraining::Variation& other) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  });
  training.WarmUp();
  training.Step(other);  // is profiled
  for (int step = 0; step < 16; ++step) {
    training.Step(step % 4 == 3 ? other : SmallTraining::Variation{});
    EXPECT_EQ(training.last().mode, session::kStepPlan) << step;
    EXPECT_EQ(training.last().fallbacks, 0u) << step;
  }
  training.CheckContents();
  EXPECT_EQ(training.process().Events().size(), 1u);
}

TEST(JobPlanTest, AStepThatAllocatesAsAnotherKindFollowsThePlanOfThat) {
  ExpectThatBothKindsArePlanned({.hidden_bytes = 3 * kUnit});
}

TEST(JobPlanTest, AStepThatRunsAKernelOfAnotherKindFollowsThePlanOfThat) {
  ExpectThatBothKindsArePlanned({.second_kernel = "dropout"});
}

TEST(JobPlanTest, AStepThatEndsAsAShorterKindIsNoSurprise) {
  ExpectThatBothKindsArePlanned({.skip_update = true});
}

TEST(JobPlanTest, ATensorFindsAHoleWhereAnOperandHasItsRoom) {
  SmallTraining training([](session::PlanArea* plan) {
    plan->allocations[plan->kernels[kForward2].first_allocation].offset_bytes =
        Activation(*plan).offset_bytes;
  });
  training.WarmUp();
  for (int i = 0; i < 3; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    EXPECT_EQ(training.last().fallbacks, 0u);
  }
  training.CheckContents();
}

TEST_F(SurpriseTest, AMoveOfATensorThatStays) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kBackward, kBackward);
  });
  Expect("move-impossible", &training,
         {.in_third = [&] { training.activation()->storage.movable = false; }});
}

TEST_F(SurpriseTest, AWriteWhileACopyIsUnderWay) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward2, kForward3);
    MoveActivation(plan, /*from_tier=*/1, kForward3, kBackward);
  });
  Expect("written-while-moving", &training,
         {.write_activation_in_second = true});
}

TEST_F(SurpriseTest, AMoveThatFails) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  });
  training.process().agent().FailMovesWith(EIO);
  Expect("move-failed", &training);
}

// The agent has not copied yet, the allocation of the second kernel is not the
// planned one, and the kernel has begun to read the tensor that is leaving.
TEST_F(SurpriseTest, AnAllocationWhileAnOperandLeaves) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward2, kForward3);
    MoveActivation(plan, /*from_tier=*/1, kForward3, kBackward);
  });
  // Small enough to fit where the operand was.
  Expect("allocation-sequence", &training, {.hidden_bytes = 3 * kUnit});
}

TEST(JobPlanTest, APlanDrivesStepsInWhichATensorThatItKnowsIsGone) {
  SmallTraining training([](session::PlanArea* plan) {
    session::PlanInitial& gone = plan->initial[plan->initial_count++];
    gone = {.tensor = static_cast<int32_t>(plan->tensor_count++),
            .offset_bytes = 36 * kUnit,
            .size_bytes = kUnit,
            .block_id = 1 << 20};
    plan->moves[plan->move_count++] = {.tensor = gone.tensor,
                                       .from_tier = 0,
                                       .to_tier = 1,
                                       .start_kernel = kForward2,
                                       .deadline_kernel = kForward3};
  });
  training.WarmUp();
  for (int i = 0; i < 3; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepPlan);
  }
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPlanTest, AMalformedPlanIsNotUsed) {
  SmallTraining training(
      [](session::PlanArea* plan) { plan->allocations[0].tier = 7; });
  training.WarmUp();
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepDemand);
  EXPECT_THAT(training.process().Events(), ElementsAre("plan-malformed"));
}

TEST(JobPlanTest, ARefusedProfileLeavesTheJobInDemandMode) {
  FakeProcess process({.fast_bytes = 20 * kUnit, .limit_bytes = 10 * kUnit});
  TensorPtr tensor = process.New(kUnit);
  process.job().EndStep();
  for (int i = 0; i < 3; ++i) {
    process.Run("use", {.reads = {tensor.get()}});
    process.job().EndStep();
  }
  EXPECT_EQ(process.client().segment()->profiles_written, 1u);
  EXPECT_EQ(process.last_step().mode, session::kStepDemand);
}

TEST(JobPlanTest, AnAgentThatVanishesInTheMiddleLeavesMovesToTheProcess) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
    MoveActivation(plan, /*from_tier=*/1, kBackward, kBackward);
  });
  training.WarmUp();
  training.Step();
  FakeAgent& agent = training.process().agent();
  const int64_t executed = agent.moves_executed();
  agent.HoldMoves();
  training.Step({.in_third = [&] { agent.HangUp(); }});
  EXPECT_LE(agent.moves_executed(), executed + 1);
  for (int i = 0; i < 2; ++i) {
    training.Step();
    EXPECT_EQ(training.last().mode, session::kStepDemand);
  }
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), ElementsAre("agent-lost"));
}

TEST(JobPlanTest, TensorsThatStandElsewhereAreBroughtWhereThePlanWantsThem) {
  SmallTraining training;
  training.WarmUp();
  training.Step();
  // Something large between the steps pushes the weight out.
  {
    TensorPtr large = training.process().New(37 * kUnit);
    EXPECT_FALSE(training.weight()->fast());
    training.process().job().EndStep();  // a step of another kind
  }
  for (int i = 0; i < 3; ++i) training.Step();
  training.CheckContents();
  EXPECT_TRUE(training.weight()->fast());
}

TEST(JobPlanTest, AKernelThatOutlivesItsStepLeavesTheNextProfileWhole) {
  FakeProcess process({.fast_bytes = 20 * kUnit, .limit_bytes = 10 * kUnit});
  TensorPtr tensor = process.New(kUnit);
  for (int i = 0; i < 5; ++i) process.Run("use", {.reads = {tensor.get()}});
  FakeTensor* raw = tensor.get();
  process.Run("long", {.reads = {raw}, .births = {kUnit}, .body = [&] {
                         process.job().EndStep();
                         process.Run("inner", {.reads = {raw}});
                       }});
  process.job().EndStep();
  const session::ProfileArea& profile = process.client().segment()->profile;
  ASSERT_EQ(profile.kernel_count, 1u);
  EXPECT_EQ(profile.kernels[0].operand_count, profile.operand_count);
}

}  // namespace
}  // namespace stowage::runtime
