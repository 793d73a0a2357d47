#include "policies/planning/drops.h"

#include <algorithm>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/move_windows.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Optional;

// Returns a step of eight kernels, of which 2 and 4 read tensor 0.
LayeredStep Readers() {
  LayeredStep step(std::vector<int>(8, 0));
  step.AddPersistent(4 * kMiB);
  step.Read(2, 0);
  step.Read(4, 0);
  return step;
}

Residency FastFor(KernelIndex begin, KernelIndex ready, KernelIndex leave,
                  KernelIndex end) {
  return {.begin = begin,
          .ready = ready,
          .leave = leave,
          .end = end,
          .moved_in = true,
          .moved_out = true};
}

TEST(DropRuleTest, DropsWhatNothingReadsAnyMore) {
  const DropRule rule(Readers().graph());
  EXPECT_THAT(rule.DropAt(FastFor(1, 2, 6, 7)), Optional(5));
  EXPECT_THAT(rule.DropAt(FastFor(1, 2, 3, 4)), Optional(3));
  // Kernel 4 reads it while it would be copied out.
  EXPECT_THAT(rule.DropAt(FastFor(1, 2, 3, 7)), Optional(5));
}

TEST(DropRuleTest, DropsNothingAtTheBoundaryAtWhichItArrives) {
  const DropRule rule(Readers().graph());
  EXPECT_THAT(rule.DropAt(FastFor(5, 5, 6, 7)), Optional(6));
  EXPECT_THAT(rule.DropAt(FastFor(5, 6, 6, 6)), std::nullopt);
}

TEST(DropRuleTest, CopiesOutWhatWasWrittenSinceItsFetchBegan) {
  for (const KernelIndex write : {1, 3, 6}) {
    LayeredStep step = Readers();
    step.Write(write, 0);
    EXPECT_THAT(DropRule(step.graph()).DropAt(FastFor(1, 2, 6, 7)),
                std::nullopt)
        << write;
  }
  for (const KernelIndex write : {0, 7}) {
    LayeredStep step = Readers();
    step.Write(write, 0);
    EXPECT_THAT(DropRule(step.graph()).DropAt(FastFor(1, 2, 6, 7)), Optional(5))
        << write;
  }
}

TEST(DropRuleTest, DropsOnlyWhatWasFetchedAndLeaves) {
  const DropRule rule(Readers().graph());
  Residency from_the_start = FastFor(0, 0, 5, 6);
  from_the_start.moved_in = false;
  EXPECT_THAT(rule.DropAt(from_the_start), std::nullopt);
  Residency to_the_end = FastFor(1, 2, 9, 9);
  to_the_end.moved_out = false;
  EXPECT_THAT(rule.DropAt(to_the_end), std::nullopt);
}

Plan BuildOf(const Graph& graph, const std::vector<Residency>& residencies) {
  return *BuildPlan(
      graph, *PresetMemorySystem("gpu-pcie"),
      {.residencies = residencies, .fast_limit_bytes = 64 * kMiB});
}

TEST(MakeDropsTest, SavesTheCopyOut) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  const Graph graph = Readers().graph();
  Plan plan = BuildOf(graph, {FastFor(2, 2, 5, 5)});
  const int64_t before_ns =
      Simulate(graph, system, plan)->prediction.step_time_ns;
  MakeDrops(graph, plan);
  ASSERT_EQ(plan.moves.size(), 2);
  EXPECT_TRUE(plan.moves[0].keeps_source);
  EXPECT_FALSE(plan.moves[0].is_drop);
  EXPECT_TRUE(plan.moves[1].is_drop);
  EXPECT_FALSE(plan.moves[1].keeps_source);
  EXPECT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus());
  EXPECT_EQ(Simulate(graph, system, plan)->prediction.step_time_ns,
            before_ns - system.CopyDurationNs(kFastTier, 1, 4 * kMiB));
}

TEST(MakeDropsTest, DropsAtOneBoundaryAsEarlyAsItMay) {
  const Graph graph = Readers().graph();
  Plan plan = BuildOf(graph, {FastFor(1, 2, 6, 8)});
  MakeDrops(graph, plan);
  EXPECT_TRUE(plan.moves[1].is_drop);
  EXPECT_EQ(plan.moves[1].start_kernel, 5);
  EXPECT_EQ(plan.moves[1].deadline_kernel, 5);
}

TEST(MakeDropsTest, DropsAgainWhatIsFetchedAgain) {
  const Graph graph = Readers().graph();
  Plan plan = BuildOf(graph, {FastFor(2, 2, 3, 3), FastFor(3, 4, 5, 8)});
  MakeDrops(graph, plan);
  const auto is_drop = [](const Move& move) { return move.is_drop; };
  EXPECT_EQ(std::count_if(plan.moves.begin(), plan.moves.end(), is_drop), 2);
  EXPECT_EQ(VerifyPlan(graph, *PresetMemorySystem("gpu-pcie"), plan),
            absl::OkStatus());
}

TEST(MakeDropsTest, CopiesOutWhatAKernelWroteMeanwhile) {
  LayeredStep step = Readers();
  step.Write(3, 0);
  Plan plan = BuildOf(step.graph(), {FastFor(2, 2, 5, 5)});
  MakeDrops(step.graph(), plan);
  for (const Move& move : plan.moves) {
    EXPECT_FALSE(move.keeps_source || move.is_drop);
  }
}

// No place is kept from one step for the next.
TEST(MakeDropsTest, CopiesOutWhatWasFetchedInTheStepBefore) {
  const Graph graph = Readers().graph();
  Residency first = FastFor(0, 0, 3, 3);
  first.moved_in = false;
  Residency last = FastFor(4, 4, 9, 9);
  last.moved_out = false;
  Plan plan = BuildOf(graph, {first, last});
  MakeDrops(graph, plan);
  ASSERT_EQ(plan.moves.size(), 2);
  for (const Move& move : plan.moves) {
    EXPECT_FALSE(move.keeps_source || move.is_drop);
  }
}

// The tensor that kernel 6 makes is not the one that was fetched for kernel 1
// and freed behind it.
TEST(MakeDropsTest, CopiesOutWhatWasBornSinceTheFetch) {
  LayeredStep step(std::vector<int>(8, 0));
  step.Add(4 * kMiB, 6, 1);
  step.Read(1, 0);
  const Graph& graph = step.graph();
  Residency of_last_step = FastFor(1, 1, 2, 2);
  of_last_step.moved_out = false;
  Residency of_this_step = FastFor(6, 6, 7, 7);
  of_this_step.moved_in = false;
  Plan plan = BuildOf(graph, {of_last_step, of_this_step});
  ASSERT_EQ(plan.moves.size(), 2);
  ASSERT_EQ(plan.moves[0].from, plan.moves[1].to);
  MakeDrops(graph, plan);
  for (const Move& move : plan.moves) {
    EXPECT_FALSE(move.keeps_source || move.is_drop);
  }
  EXPECT_EQ(VerifyPlan(graph, *PresetMemorySystem("gpu-pcie"), plan),
            absl::OkStatus());
}

TEST(MakeDropsTest, CopiesOutToAnotherPlaceThanItWasFetchedFrom) {
  const Graph graph = Readers().graph();
  for (const Placement& elsewhere :
       {Placement{2, 0}, Placement{1, 64 * kMiB}}) {
    Plan plan = BuildOf(graph, {FastFor(2, 2, 5, 5)});
    plan.moves[1].to = elsewhere;
    MakeDrops(graph, plan);
    for (const Move& move : plan.moves) {
      EXPECT_FALSE(move.keeps_source || move.is_drop);
    }
  }
}

int Drops(const Plan& plan) {
  return static_cast<int>(
      std::count_if(plan.moves.begin(), plan.moves.end(),
                    [](const Move& move) { return move.is_drop; }));
}

TEST(MakeDropsTest, PlansStayValidAndTakeNoLonger) {
  int drops = 0;
  for (const char* name : {"optane", "file", "gpu-pcie", "cxl", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 40; ++seed) {
      const Graph step = RandomGraph(seed);
      const int64_t limit = FindLeastLimit(step, system).bytes +
                            ComputeLiveness(step).peak_bytes / 8;
      const Graph graph = WithStreamWindows(step, system, limit).value_or(step);
      for (const char* policy : {"belady", "g10", "sentinel", "lru"}) {
        Plan plan = *(*MakePolicy(policy))
                         ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        const Prediction before = Simulate(graph, system, plan)->prediction;
        MakeDrops(graph, plan);
        drops += Drops(plan);
        ASSERT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus())
            << name << " seed " << seed << " " << policy;
        const Simulation dropped = *Simulate(graph, system, plan);
        EXPECT_LE(dropped.prediction.step_time_ns, before.step_time_ns)
            << name << " seed " << seed << " " << policy;
        EXPECT_LE(dropped.prediction.fast_peak_bytes, before.fast_peak_bytes);
        WidenMoves(graph, dropped, plan);
        ASSERT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus())
            << name << " seed " << seed << " " << policy;
        // Widened, they are still all the drops that are possible.
        const int widened = Drops(plan);
        MakeDrops(graph, plan);
        EXPECT_EQ(Drops(plan), widened);
        EXPECT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus());
      }
    }
  }
  EXPECT_GT(drops, 500);
}

}  // namespace
}  // namespace stowage::policies
