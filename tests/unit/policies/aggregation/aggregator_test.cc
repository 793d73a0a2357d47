#include "policies/aggregation/aggregator.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/planning/drops.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/aggregation/small_step.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

Plan Aggregate(const Graph& graph, const MemorySystem& system, const Plan& plan,
               const AggregationSettings& settings = {}) {
  EXPECT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus());
  const absl::StatusOr<Plan> aggregated =
      AggregatePlan(graph, system, plan, settings);
  EXPECT_TRUE(aggregated.ok()) << aggregated.status();
  EXPECT_EQ(VerifyPlan(graph, system, *aggregated), absl::OkStatus());
  return *aggregated;
}

constexpr AggregationSettings kAsPlanned = {.align_moves = false};

// Describes a move without addresses.
using Moved = std::tuple<TensorIndex, TierIndex, TierIndex, KernelIndex,
                         KernelIndex, bool>;
std::vector<Moved> MovedBy(const Plan& plan) {
  std::vector<Moved> moved;
  for (const Move& move : plan.moves) {
    moved.push_back({move.tensor, move.from.tier, move.to.tier,
                     move.start_kernel, move.deadline_kernel, move.is_drop});
  }
  std::sort(moved.begin(), moved.end());
  return moved;
}

// Makes a step with tensors between large ones that stay; all of the small ones
// leave and return.
SmallStep Interleaved() {
  SmallStep step(10);
  for (int i = 0; i < 16; ++i) {
    const TensorIndex large = step.Add((64 + i) << 10, 0, 9);
    step.Access(9, large);
    const TensorIndex small = step.Add((20 + 3 * i) << 10, 0, 9);
    step.Access(8, small);
    step.Leave(small, 2, 8);
  }
  return step;
}

TEST(AggregatorTest, MovesNeighboursInOneCopy) {
  const SmallStep step = Interleaved();
  const MemorySystem system = *PresetMemorySystem("file");
  const Plan before = step.MakePlan(system);
  const Plan after = Aggregate(step.graph(), system, before);
  EXPECT_EQ(CountCopies(step.graph(), after).moves, 32);
  EXPECT_EQ(CountCopies(step.graph(), after).copies, 2);
  EXPECT_GT(CountCopies(step.graph(), before).copies, 2);
  EXPECT_EQ(MovedBy(after), MovedBy(before));
}

TEST(AggregatorTest, ThoseThatOutliveTheirNeighbourAreNeighboursAgain) {
  SmallStep step(10);
  std::vector<TensorIndex> survivors;
  for (int i = 0; i < 3; ++i) {
    const TensorIndex survivor = step.Add(20 << 10, 0, 9);
    step.Access(8, survivor);
    step.Leave(survivor, 4, 8);
    survivors.push_back(survivor);
    step.Access(1, step.Add(20 << 10, 0, 2));  // freed before they leave
  }
  const MemorySystem system = *PresetMemorySystem("file");
  const Plan plan = Aggregate(step.graph(), system, step.MakePlan(system));
  EXPECT_EQ(CountCopies(step.graph(), plan).copies, 2);
}

TEST(AggregatorTest, MovesAPageOfMicroTensorsInOneCopy) {
  SmallStep step(10);
  step.Access(0, step.AddWeight(1 << 20));
  for (int i = 0; i < 30; ++i) {
    const TensorIndex t = step.Add(200, 0, 9);
    step.Access(8, t, 2);
    step.Leave(t, 2, 8);
  }
  const MemorySystem system = *PresetMemorySystem("optane");
  const Plan before = step.MakePlan(system);
  const Plan after = Aggregate(step.graph(), system, before);
  EXPECT_EQ(CountCopies(step.graph(), after).copies, 2);
  std::vector<int64_t> pages;
  for (const Allocation& a : after.allocations) {
    pages.push_back(a.at.offset_bytes / kPlacementAlignmentBytes);
  }
  std::sort(pages.begin(), pages.end());
  pages.erase(std::unique(pages.begin(), pages.end()), pages.end());
  EXPECT_EQ(pages.size(), 2);  // 16 to a page, instead of 30 pages
}

TEST(AggregatorTest, BatchesStandInReservedSpaceAtTheStartOfTheArena) {
  SmallStep step(10);
  for (int i = 0; i < 4; ++i) step.Access(3, step.Add(1 << 20, 0, 9));
  for (KernelIndex k = 0; k < 10; ++k) {
    step.Access(k, step.Add(300, k, k), 2);
    step.Access(k, step.Add(300, k, k), 3);
  }
  const Plan plan = Aggregate(step.graph(), *PresetMemorySystem("optane"),
                              step.MakePlan(*PresetMemorySystem("optane")));
  for (TensorIndex t = 4; t < step.graph().tensor_count(); ++t) {
    EXPECT_LT(BeginOf(plan, t).offset_bytes, kPlacementAlignmentBytes);
  }
}

TEST(AggregatorTest, WhatLeavesAtAdjacentKernelsIsOneCopyUnlessAsPlanned) {
  SmallStep step(20);
  for (int i = 0; i < 4; ++i) {
    const TensorIndex t = step.Add(20 << 10, 0, 19);
    step.Access(i + 1, t);
    step.Access(18 - i, t);
    step.Leave(t, i + 2, 18 - i);
  }
  const MemorySystem system = *PresetMemorySystem("file");
  const Plan before = step.MakePlan(system);
  EXPECT_EQ(CountCopies(step.graph(),
                        Aggregate(step.graph(), system, before, kAsPlanned))
                .copies,
            8);
  EXPECT_EQ(
      CountCopies(step.graph(), Aggregate(step.graph(), system, before)).copies,
      2);
}

TEST(AggregatorTest, PlansOfAFileAreFasterWithIt) {
  const SmallStep step = Interleaved();
  const MemorySystem system = *PresetMemorySystem("file");
  Plan before = step.MakePlan(system);
  for (Move& move : before.moves) move.deadline_kernel = move.start_kernel;
  for (Move& move : before.moves) {
    if (move.to.tier == kFastTier) move.start_kernel = ++move.deadline_kernel;
  }
  const Plan after = Aggregate(step.graph(), system, before);
  const absl::StatusOr<Plan> timed =
      AggregatePlan(step.graph(), system, before, {.most_group_bytes = 0});
  ASSERT_TRUE(timed.ok());
  EXPECT_LT(after.prediction.stall_ns, timed->prediction.stall_ns * 2 / 3);
}

// The weights come for kernels 2 and 6 and are dropped behind them.
TEST(AggregatorTest, WhatIsDroppedReturnsToWhereItWasFetchedFrom) {
  SmallStep step(10);
  BuildInput input{.fast_limit_bytes = 1 << 30};
  for (int i = 0; i < 16; ++i) {
    const TensorIndex weight = step.AddWeight((20 + 3 * i) << 10);
    for (const KernelIndex k : {2, 6}) {
      step.Access(k, weight);
      input.residencies.push_back({.tensor = weight,
                                   .begin = k - 1,
                                   .ready = k,
                                   .leave = k + 1,
                                   .end = k + 1,
                                   .moved_in = true,
                                   .moved_out = true});
    }
  }
  const MemorySystem system = *PresetMemorySystem("file");
  Plan plan = *BuildPlan(step.graph(), system, input);
  MakeDrops(step.graph(), plan);
  const Plan after = Aggregate(step.graph(), system, plan);
  EXPECT_EQ(MovedBy(after), MovedBy(plan));
  EXPECT_EQ(CountCopies(step.graph(), after).copies, 2);
  EXPECT_EQ(CountCopies(step.graph(), after).moves, 4 * 16);
  for (const Move& move : after.moves) {
    const bool leaves = move.from.tier == kFastTier;
    EXPECT_EQ(move.is_drop, leaves);
    EXPECT_EQ(leaves ? move.to : move.from, BeginOf(after, move.tensor));
  }
}

TEST(AggregatorTest, ReturnsAPlanThatHasNoRoomForGroupsAsItCame) {
  SmallStep step(4);
  for (int i = 0; i < 3; ++i) step.Access(1, step.Add(40960, 0, 3));
  const MemorySystem system = *PresetMemorySystem("optane");
  Plan plan = step.MakePlan(system, 3 * 40960);
  const Plan after = Aggregate(step.graph(), system, plan);
  EXPECT_EQ(after.initial.size(), plan.initial.size());
  EXPECT_EQ(MovedBy(after), MovedBy(plan));
}

TEST(AggregatorTest, JudgesNothingThatReferencesWhatIsNotThere) {
  const SmallStep step = Interleaved();
  const MemorySystem system = *PresetMemorySystem("file");
  Plan plan = step.MakePlan(system);
  plan.moves[0].tensor = 1000;
  EXPECT_EQ(AggregatePlan(step.graph(), system, plan).status().code(),
            absl::StatusCode::kInvalidArgument);
}

// On graphs, policies and limits as they come, an aggregated plan can be
// executed, keeps the limit, moves the same tensors at the same time, and takes
// no longer.
TEST(AggregatorPropertyTest, KeepsEveryPlanExecutableAndNoSlower) {
  int64_t moves = 0, copies_before = 0, copies_after = 0, shared = 0;
  for (const char* preset : {"optane", "file", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(preset);
    for (uint64_t seed = 0; seed < 120; ++seed) {
      const Graph step =
          seed % 20 == 19 ? TrainingStepGraph(4, seed) : RandomGraph(seed);
      const int64_t limit =
          FindLeastLimit(step, system).bytes +
          ComputeLiveness(step).peak_bytes * static_cast<int64_t>(seed % 4) / 5;
      const Graph graph = WithStreamWindows(step, system, limit).value_or(step);
      for (const char* policy :
           {"belady", "lru", "annealed-search", "sentinel"}) {
        SCOPED_TRACE(testing::Message() << preset << " seed " << seed << " "
                                        << policy << " limit " << limit);
        const auto plan =
            (*MakePolicy(policy))
                ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        ASSERT_TRUE(plan.ok()) << plan.status();
        const AggregationSettings settings = {.align_moves = seed % 3 != 0};
        const Plan after = Aggregate(graph, system, *plan, settings);
        EXPECT_EQ(after.moves.size(), plan->moves.size());
        if (!settings.align_moves) {
          EXPECT_EQ(MovedBy(after), MovedBy(*plan));
        }
        EXPECT_LE(after.prediction.step_time_ns, plan->prediction.step_time_ns);
        EXPECT_LE(after.prediction.fast_peak_bytes, limit);
        moves += CountCopies(graph, after).moves;
        copies_before += CountCopies(graph, *plan).copies;
        copies_after += CountCopies(graph, after).copies;
        for (const Allocation& a : after.allocations) {
          shared += a.at.offset_bytes % kPlacementAlignmentBytes != 0;
        }
        if (HasFailure()) return;
      }
    }
  }
  EXPECT_GT(moves, 5000);
  EXPECT_LT(copies_after, copies_before);
  EXPECT_GT(shared, 0);
}

TEST(AggregatorPropertyTest, GivesTheSameBytesEachTime) {
  const Graph step = TrainingStepGraph(8, 1);
  const MemorySystem system = *PresetMemorySystem("file");
  const int64_t limit = FindLeastLimit(step, system).bytes * 2;
  const Graph graph = WithStreamWindows(step, system, limit).value_or(step);
  const Plan plan = *(*MakePolicy("belady"))
                         ->MakePlan(graph, system, {.fast_limit_bytes = limit});
  EXPECT_EQ(PlanToProto(Aggregate(graph, system, plan)).SerializeAsString(),
            PlanToProto(Aggregate(graph, system, plan)).SerializeAsString());
}

}  // namespace
}  // namespace stowage::policies
