// Drops tensors by plan: what they cost, and what takes their copy away.
#include <functional>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Names the kernels of a step. The first bears the tensor, the third uses it
// and the last reads it.
enum : int32_t { kBear, kLeave, kUse, kBetween, kLast };

void AddFlaggedMove(session::PlanArea* plan, int from_tier, int32_t start,
                    int32_t deadline, uint32_t flags) {
  const session::PlanAllocation& born =
      plan->allocations[plan->kernels[kBear].first_allocation];
  AddMove(plan, born, from_tier, start, deadline);
  plan->moves[plan->move_count - 1].flags = flags;
}

// Plans that the tensor leaves, comes back while the place that it left is
// kept, is dropped, and comes back for the last kernel.
void PlanDrop(session::PlanArea* plan, int32_t fetch_start = kUse) {
  AddFlaggedMove(plan, 0, kLeave, kLeave, 0);
  AddFlaggedMove(plan, 1, fetch_start, kUse, session::kMoveKeepsSource);
  AddFlaggedMove(plan, 0, kBetween, kBetween, session::kMoveIsDrop);
  AddFlaggedMove(plan, 1, kLast, kLast, 0);
}

constexpr int64_t kTensorUnits = 3;

struct KeptOptions {
  EditPlan plan = [](session::PlanArea* plan) { PlanDrop(plan); };
  bool slow_is_file = true;
  // Room for the tensor once: what is not given back is missed.
  int64_t slow_bytes = kTensorUnits * kUnit;
};

class KeptTraining {
 public:
  static inline const int64_t kBytes = kTensorUnits * kUnit;

  explicit KeptTraining(const KeptOptions& options = {})
      : process_({.fast_bytes = 60 * kUnit,
                  .slow_bytes = options.slow_bytes,
                  .slow_is_file = options.slow_is_file,
                  .limit_bytes = 40 * kUnit,
                  .planner = [edit = options.plan](
                                 const session::ProfileArea& profile,
                                 session::PlanArea* plan) {
                    PlanIdentity(profile, plan);
                    edit(plan);
                    return true;
                  }}) {
    while (process_.client().segment()->plans_taken == 0) Step();
  }

  struct Variation {
    bool writes = false;  // the third kernel, in place of reading
    const char* fourth_kernel = "between";
    int64_t fourth_birth_bytes = 0;
    bool dies_early = false;  // after its use
    std::function<void()> in_use = [] {};
    std::function<void()> in_between = [] {};
  };

  void Step() { Step(Variation{}); }
  void Step(const Variation& variation) {
    tensor_ = std::move(process_.Run("bear", {.births = {kBytes}}).at(0));
    other_ = std::move(process_.Run("leave", {.births = {kUnit}}).at(0));
    FakeKernel use{.reads = {tensor()}, .body = variation.in_use};
    if (variation.writes) std::swap(use.reads, use.writes);
    process_.Run("use", use);
    if (variation.dies_early) tensor_.reset();
    FakeKernel between{.reads = {other_.get()}, .body = variation.in_between};
    if (variation.fourth_birth_bytes > 0) {
      between.births = {variation.fourth_birth_bytes};
    }
    process_.Run(variation.fourth_kernel, between);
    FakeKernel last{.reads = {other_.get()}};
    if (tensor_ != nullptr) last.reads.push_back(tensor());
    process_.Run("last", last);
    tensor_.reset();
    other_.reset();
    process_.job().EndStep();
  }
  // Steps until it is known again which kind of step follows which.
  void GetOverSurprise() {
    Step();
    Step();
  }
  // Expects steps as planned, which have all the room that they need.
  void ExpectThatStepsGoOn() {
    for (int i = 0; i < 2; ++i) {
      Step();
      EXPECT_EQ(last().mode, session::kStepPlan);
      EXPECT_EQ(last().fallbacks, 0u);
      EXPECT_EQ(last().moved_out_bytes, kBytes);
      EXPECT_EQ(last().moved_in_bytes, 2 * kBytes);
    }
  }

  bool keeps() { return tensor()->block->kept.has_value(); }
  FakeTensor* tensor() { return tensor_.get(); }
  FakeTensor* other() { return other_.get(); }
  FakeProcess& process() { return process_; }
  const session::StepRecord& last() { return process_.last_step(); }

 private:
  FakeProcess process_;
  TensorPtr tensor_, other_;
};

struct Fetch {
  int32_t start;
  bool slow_is_file;
};

class DropTest : public testing::TestWithParam<Fetch> {};

TEST_P(DropTest, CopiesNothingAndReturnsToWhereTheTensorWasFetchedFrom) {
  KeptTraining training(
      {.plan =
           [](session::PlanArea* plan) { PlanDrop(plan, GetParam().start); },
       .slow_is_file = GetParam().slow_is_file});
  const int64_t executed = training.process().agent().moves_executed();
  Place kept, dropped;
  training.Step(
      {.in_use = [&] { kept = training.tensor()->block->kept.value(); },
       .in_between =
           [&] {
             dropped = training.tensor()->block->place;
             EXPECT_FALSE(training.keeps());
             EXPECT_TRUE(FakeProcess::Intact(*training.tensor()));
           }});
  EXPECT_EQ(dropped.tier, 1);
  EXPECT_EQ(dropped, kept);
  // Out, in, and in again.
  EXPECT_EQ(training.process().agent().moves_executed(), executed + 3);
  EXPECT_EQ(training.last().moved_out_bytes, KeptTraining::kBytes);
  training.ExpectThatStepsGoOn();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

// The tensor is fetched at once or ahead of its use, from a file or from
// memory.
INSTANTIATE_TEST_SUITE_P(All, DropTest,
                         testing::Values(Fetch{kUse, true}, Fetch{kUse, false},
                                         Fetch{kLeave, true},
                                         Fetch{kLeave, false}));

TEST(JobKeptTest, AWriteBetweenFetchAndDropMakesTheDropACopy) {
  for (const bool slow_is_file : {true, false}) {
    KeptTraining training({.slow_is_file = slow_is_file});
    bool kept = true;
    // What the last kernel reads is checked against what was written.
    training.Step({.writes = true, .in_use = [&] { kept = training.keeps(); }});
    EXPECT_FALSE(kept);
    EXPECT_EQ(training.last().fallbacks, 0u);
    EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
    training.ExpectThatStepsGoOn();
  }
}

TEST(JobKeptTest, AWriteByAKernelBesideTheStepIsAWrite) {
  KeptTraining training;
  const auto write_beside = [&] {
    RunningKernel beside{.key = 7, .name = "beside", .auxiliary = true};
    training.process().job().BeginKernel(
        &beside, {{training.tensor()->block, session::kOperandWrite}});
    EXPECT_FALSE(training.keeps());
    training.process().job().EndKernel(&beside, {});
  };
  training.Step({.in_use = write_beside});
  EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, ATensorThatAKernelReturnsMayHaveBeenWritten) {
  KeptTraining training;
  const auto return_it = [&] {
    for (const bool auxiliary : {false, true}) {
      RunningKernel hidden{.key = 7, .name = "hidden", .auxiliary = auxiliary};
      training.process().job().BeginKernel(&hidden, {});
      training.process().job().EndKernel(
          &hidden, {{training.tensor()->block, session::kOperandWrite}});
      EXPECT_FALSE(training.keeps());
    }
  };
  training.Step({.in_use = return_it});
  EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, AReadByAKernelBesideTheStepIsNone) {
  KeptTraining training;
  const auto read_beside = [&] {
    RunningKernel beside{.key = 7, .name = "beside", .auxiliary = true};
    training.process().job().BeginKernel(
        &beside, {{training.tensor()->block, session::kOperandRead}});
    training.process().job().EndKernel(&beside, {});
    EXPECT_TRUE(training.keeps());
  };
  training.Step({.in_use = read_beside});
  EXPECT_EQ(training.last().moved_out_bytes, KeptTraining::kBytes);
}

TEST(JobKeptTest, AWriteThatNobodySawMakesTheDropACopyAndIsTold) {
  KeptTraining training;
  const auto write = [&] { training.process().WriteUnseen(training.tensor()); };
  for (int i = 0; i < 2; ++i) {
    training.Step({.in_use = write});
    EXPECT_EQ(training.last().mode, session::kStepPlan);
    EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
  }
  EXPECT_THAT(training.process().Events(), ElementsAre("written-unseen"));
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, AWriteWhileTheFetchIsUnderWayLeavesNoCopy) {
  KeptTraining training({.plan = [](session::PlanArea* plan) {
    AddFlaggedMove(plan, 0, kLeave, kLeave, 0);
    AddFlaggedMove(plan, 1, kLeave, kBetween, session::kMoveKeepsSource);
    AddFlaggedMove(plan, 0, kLast, kLast, session::kMoveIsDrop);
  }});
  training.Step(
      {.writes = true, .in_between = [&] { EXPECT_FALSE(training.keeps()); }});
  EXPECT_THAT(training.process().Events(), Contains("written-while-moving"));
}

TEST(JobKeptTest, ADeathGivesBothRoomsBack) {
  KeptTraining training;
  for (int i = 0; i < 3; ++i) {
    training.Step({.dies_early = true});
    EXPECT_EQ(training.last().fallbacks, 0u);
    EXPECT_EQ(training.last().moved_out_bytes, KeptTraining::kBytes);
  }
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, AStorageThatIsDyingAtTheDropGivesBothRoomsBack) {
  KeptTraining training;
  training.Step({.in_use = [&] { training.tensor()->storage.Kill(); },
                 .in_between =
                     [&] {
                       EXPECT_TRUE(training.tensor()->fast());
                       EXPECT_FALSE(training.keeps());
                     }});
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, ASurpriseGivesTheCopyUp) {
  KeptTraining training;
  training.Step({.fourth_kernel = "surprise", .in_between = [&] {
                   EXPECT_TRUE(training.tensor()->fast());
                   EXPECT_FALSE(training.keeps());
                 }});
  EXPECT_THAT(training.process().Events(), Contains("kernel-sequence"));
  training.GetOverSurprise();
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, AFetchThatASurpriseSettlesKeepsNothing) {
  KeptTraining training({.plan =
                             [](session::PlanArea* plan) {
                               AddFlaggedMove(plan, 0, kLeave, kLeave, 0);
                               AddFlaggedMove(plan, 1, kUse, kLast,
                                              session::kMoveKeepsSource);
                             },
                         .slow_is_file = false});  // it is used in place
  training.Step({.fourth_kernel = "surprise", .in_between = [&] {
                   EXPECT_TRUE(training.tensor()->fast());
                   EXPECT_FALSE(training.keeps());
                 }});
  EXPECT_THAT(training.process().Events(), Contains("kernel-sequence"));
}

// The room of the copy that was given up is all the room that there is.
TEST(JobKeptTest, AfterASurpriseATensorIsEvictedAsItIs) {
  for (const bool writes : {false, true}) {
    KeptTraining training({.plan = [](session::PlanArea* plan) {
      PlanDrop(plan);
      plan->moves[1].to_offset_bytes = 4 * kUnit;
    }});
    bool evicted = false;
    training.Step(
        {.writes = writes,
         .fourth_kernel = "surprise",
         .fourth_birth_bytes = 33 * kUnit,
         .in_between = [&] { evicted = !training.tensor()->fast(); }});
    EXPECT_TRUE(evicted);
    EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
    training.GetOverSurprise();
    training.ExpectThatStepsGoOn();
  }
}

TEST(JobKeptTest, AnAddressThatBecomesKnownOutsideGivesTheCopyUp) {
  KeptTraining training;
  const auto pin_and_write = [&] {
    EXPECT_TRUE(training.keeps());
    FakeTensor* tensor = training.tensor();
    training.process().job().Pin(&tensor->storage);
    EXPECT_FALSE(training.keeps());
  };
  training.Step({.in_use = pin_and_write, .in_between = [&] {
                   EXPECT_TRUE(training.tensor()->fast());
                 }});
  EXPECT_THAT(training.process().Events(), Contains("move-impossible"));
  training.ExpectThatStepsGoOn();
}

TEST(JobKeptTest, ATensorThatAKernelStillReadsIsNotDropped) {
  KeptTraining training;
  const auto run_next = [&] {
    training.process().Run("between",
                           {.reads = {training.other()}, .body = [&] {
                              EXPECT_TRUE(training.tensor()->fast());
                              EXPECT_FALSE(training.keeps());
                            }});
  };
  training.Step({.in_use = run_next});
  EXPECT_THAT(training.process().Events(), Contains("move-impossible"));
}

TEST(JobKeptTest, ADropOfATensorThatWasNotFetchedIsACopy) {
  KeptTraining training({.plan = [](session::PlanArea* plan) {
    AddFlaggedMove(plan, 1, kUse, kUse, session::kMoveKeepsSource);
    AddFlaggedMove(plan, 0, kBetween, kBetween, session::kMoveIsDrop);
    AddFlaggedMove(plan, 1, kLast, kLast, 0);
  }});
  training.Step(
      {.in_use = [&] { EXPECT_FALSE(training.keeps()); },
       .in_between = [&] { EXPECT_FALSE(training.tensor()->fast()); }});
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_EQ(training.last().moved_out_bytes, KeptTraining::kBytes);
  EXPECT_EQ(training.last().moved_in_bytes, KeptTraining::kBytes);
}

// Small storages take the room above which the tensor was fetched to.
TEST(JobKeptTest, AnEvictionUnderThePlanReturnsToTheCopy) {
  KeptTraining training({.plan = [](session::PlanArea* plan) {
    PlanDrop(plan);
    plan->moves[1].to_offset_bytes = 30 * kUnit;
  }});
  const auto shrink = [&] {
    training.process().job().CountUnmanaged(20 * kUnit);
  };
  training.Step({.in_use = shrink});
  training.process().job().CountUnmanaged(-20 * kUnit);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_EQ(training.last().moved_out_bytes, KeptTraining::kBytes);
}

TEST(JobKeptTest, AnEvictionThatFindsNoRoomElseTakesThatOfCopies) {
  KeptTraining training({.plan = [](session::PlanArea* plan) {
    PlanDrop(plan);
    plan->allocations[1].offset_bytes = 30 * kUnit;
  }});
  const auto shrink = [&] {
    training.process().job().CountUnmanaged(20 * kUnit);
  };
  training.Step({.in_use = shrink});
  training.process().job().CountUnmanaged(-20 * kUnit);
  EXPECT_THAT(training.process().Events(),
              ElementsAre("move-impossible", "plan-outgrown"));
}

// In this plan, the move that keeps is followed by one that is no drop.
TEST(JobKeptTest, AMoveThatIsNoDropGivesTheCopyUp) {
  KeptTraining training({.plan =
                             [](session::PlanArea* plan) {
                               PlanDrop(plan);
                               plan->moves[2].flags = 0;
                             },
                         .slow_bytes = 2 * KeptTraining::kBytes});
  const auto left = [&] {
    EXPECT_FALSE(training.tensor()->fast());
    EXPECT_FALSE(training.keeps());
  };
  for (int i = 0; i < 3; ++i) {
    training.Step({.in_between = left});
    EXPECT_EQ(training.last().fallbacks, 0u);
    EXPECT_EQ(training.last().moved_out_bytes, 2 * KeptTraining::kBytes);
  }
}

// In this plan, it is followed by none.
TEST(JobKeptTest, ACopyThatIsNeverDroppedToIsGivenUpWhenTheStepEnds) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 2 * kUnit,
                       .limit_bytes = 40 * kUnit,
                       .planner = [](const session::ProfileArea& profile,
                                     session::PlanArea* plan) {
                         PlanIdentity(profile, plan);
                         AddMove(plan, plan->initial[0], 0, 1, 1);
                         AddMove(plan, plan->initial[0], 1, 2, 2);
                         plan->moves[1].flags = session::kMoveKeepsSource;
                         return true;
                       }});
  TensorPtr weight = process.New(2 * kUnit);
  const auto step = [&] {
    process.Run("a", {.reads = {weight.get()}});
    process.Run("b", {.births = {kUnit}});
    process.Run("c", {.reads = {weight.get()}});
    process.job().EndStep();
  };
  while (process.client().segment()->plans_taken == 0) step();
  for (int i = 0; i < 3; ++i) {
    step();
    EXPECT_EQ(process.last_step().mode, session::kStepPlan);
    EXPECT_EQ(process.last_step().fallbacks, 0u);
    EXPECT_FALSE(weight->block->kept.has_value());
  }
}

}  // namespace
}  // namespace stowage::runtime
