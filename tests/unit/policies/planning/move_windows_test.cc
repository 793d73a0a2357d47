#include "policies/planning/move_windows.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Plans a tensor that the first and the last of ten kernels use. It is copied
// out and in while both wait, and another tensor may take its place meanwhile.
class MoveWindowsTest : public testing::Test {
 protected:
  MoveWindowsTest() : step_(std::vector<int>(10, 0)) {
    step_.Add(4 * kMiB, 0, 9);
    step_.Write(0, 0);
    step_.Read(9, 0);
    input_.residencies = {
        {.tensor = 0, .leave = 1, .end = 1, .moved_out = true},
        {.tensor = 0,
         .begin = 9,
         .ready = 9,
         .leave = 10,
         .end = 10,
         .moved_in = true}};
  }

  void AddGuest(KernelIndex birth, KernelIndex death) {
    step_.Add(4 * kMiB, birth, death);
    step_.Write(birth, 1);
    step_.Read(death, 1);
    input_.residencies.push_back({.tensor = 1,
                                  .begin = birth,
                                  .ready = birth,
                                  .leave = death + 1,
                                  .end = death + 1});
  }

  std::vector<Move> WidenedMoves() {
    const Graph& graph = step_.graph();
    Plan plan = *BuildPlan(graph, system_, input_);
    const int64_t before_ns =
        Simulate(graph, system_, plan)->prediction.step_time_ns;
    WidenMoves(graph, *Simulate(graph, system_, plan), plan);
    EXPECT_EQ(VerifyPlan(graph, system_, plan), absl::OkStatus());
    EXPECT_LT(Simulate(graph, system_, plan)->prediction.step_time_ns,
              before_ns);
    return plan.moves;
  }

  LayeredStep step_;
  BuildInput input_{.fast_limit_bytes = 4 * kMiB};
  const MemorySystem system_ = *PresetMemorySystem("gpu-pcie");
};

TEST_F(MoveWindowsTest, WaitsForACopyOutWhenItIsExpectedToBeComplete) {
  const Move out = WidenedMoves().front();
  EXPECT_EQ(out.start_kernel, 1);
  EXPECT_EQ(out.deadline_kernel, 2);
}

TEST_F(MoveWindowsTest, KeepsWhatIsReadWhileItIsCopiedOut) {
  step_.Read(4, 0);
  input_.residencies[0].end = 6;
  EXPECT_EQ(WidenedMoves().front().deadline_kernel, 5);
}

TEST_F(MoveWindowsTest, WaitsForACopyOutWhenItsPlaceIsNeeded) {
  AddGuest(1, 6);
  EXPECT_EQ(WidenedMoves().front().deadline_kernel, 1);
}

TEST_F(MoveWindowsTest, BeginsACopyInOnceTheCopyOutIsComplete) {
  EXPECT_EQ(WidenedMoves().back().start_kernel, 2);
}

TEST_F(MoveWindowsTest, BeginsACopyInOnceItsPlaceIsFree) {
  AddGuest(3, 6);
  EXPECT_EQ(WidenedMoves().back().start_kernel, 7);
}

TEST_F(MoveWindowsTest, BeginsNoCopyBeforeOneThatIsNeededSooner) {
  // Kernel 5 needs it, and its place is free from boundary 4 on.
  step_.Add(4 * kMiB, 0, 5);
  step_.Write(0, 1);
  step_.Read(5, 1);
  step_.Add(4 * kMiB, 1, 3);
  step_.Write(1, 2);
  step_.Read(3, 2);
  input_.fast_limit_bytes = 8 * kMiB;
  input_.residencies.push_back(
      {.tensor = 1, .leave = 1, .end = 1, .moved_out = true});
  input_.residencies.push_back({.tensor = 1,
                                .begin = 5,
                                .ready = 5,
                                .leave = 6,
                                .end = 6,
                                .moved_in = true});
  input_.residencies.push_back(
      {.tensor = 2, .begin = 1, .ready = 1, .leave = 4, .end = 4});
  KernelIndex sooner = 0, later = 0;
  for (const Move& move : WidenedMoves()) {
    if (move.to.tier != kFastTier) continue;
    (move.tensor == 1 ? sooner : later) = move.start_kernel;
  }
  EXPECT_LT(sooner, 5);
  EXPECT_GE(later, sooner);
}

// The tensor is fetched for kernel 4 and dropped behind it.
TEST_F(MoveWindowsTest, LeavesDropsWhereTheyAre) {
  step_.Read(4, 0);
  input_.residencies.insert(input_.residencies.begin() + 1,
                            {.tensor = 0,
                             .begin = 4,
                             .ready = 4,
                             .leave = 5,
                             .end = 7,
                             .moved_in = true,
                             .moved_out = true});
  const Graph& graph = step_.graph();
  Plan plan = *BuildPlan(graph, system_, input_);
  MakeDrops(graph, plan);
  WidenMoves(graph, *Simulate(graph, system_, plan), plan);
  EXPECT_EQ(VerifyPlan(graph, system_, plan), absl::OkStatus());
  ASSERT_EQ(plan.moves.size(), 4);
  EXPECT_TRUE(plan.moves[1].keeps_source);
  EXPECT_EQ(plan.moves[1].start_kernel, 2);
  EXPECT_TRUE(plan.moves[2].is_drop);
  EXPECT_EQ(plan.moves[2].start_kernel, 5);
  EXPECT_EQ(plan.moves[2].deadline_kernel, 5);
  EXPECT_EQ(plan.moves[3].start_kernel, 5);
}

TEST(WidenMovesTest, LeavesPlansValid) {
  for (const char* name : {"optane", "file", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const Graph step = RandomGraph(seed);
      const int64_t limit = FindLeastLimit(step, system).bytes +
                            ComputeLiveness(step).peak_bytes / 8;
      const Graph graph = WithStreamWindows(step, system, limit).value_or(step);
      for (const char* policy : {"lru", "belady", "g10", "all-slow"}) {
        absl::StatusOr<Plan> plan =
            (*MakePolicy(policy))
                ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        ASSERT_TRUE(plan.ok()) << name << seed << policy;
        WidenMoves(graph, *Simulate(graph, system, *plan), *plan);
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " " << policy;
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies
