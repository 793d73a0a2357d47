#include "policies/intervals/interval_planner.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "policies/intervals/interval_demand.h"
#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a system that copies 1 GiB a second either way and takes kernels'
// operands in place.
MemorySystem Addressable() {
  MemorySystem system = *PresetMemorySystem("optane");
  const CopyPoint point{.buffer_bytes = 1, .bytes_per_second = 1 << 30};
  system.copies = {{.from_tier = 0, .to_tier = 1, .points = {point}},
                   {.from_tier = 1, .to_tier = 0, .points = {point}}};
  return system;
}

IntervalOutcome PlanIntervals(const Graph& graph, const MemorySystem& system,
                              int64_t limit_bytes, const IntervalRules& rules) {
  const auto workload = MakeWorkload(graph, system, limit_bytes);
  EXPECT_TRUE(workload.ok()) << workload.status();
  const Layers layers = FindLayers(graph);
  return IntervalPlanner(graph, system, *workload, layers, /*length=*/1, rules,
                         AllFastKernelNs(graph, system), workload->arena_bytes)
      .Plan();
}

std::vector<Residency> ResidenciesOf(const IntervalOutcome& outcome,
                                     TensorIndex t) {
  std::vector<Residency> residencies;
  for (const Residency& residency : outcome.residencies) {
    if (residency.tensor == t) residencies.push_back(residency);
  }
  return residencies;
}

// Returns a step of six layers of two kernels.
LayeredStep SixLayers() {
  return LayeredStep({0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5});
}

TEST(IntervalPlannerTest, FetchesDuringTheIntervalBeforeTheUse) {
  LayeredStep step = SixLayers();
  const TensorIndex t = step.AddPersistent(kMiB / 2);
  step.Read(7, t);
  const auto residencies = ResidenciesOf(
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {}), t);
  ASSERT_EQ(residencies.size(), 1);
  EXPECT_TRUE(residencies[0].moved_in);
  EXPECT_EQ(residencies[0].begin, 4);
  EXPECT_EQ(residencies[0].ready, 6);
}

TEST(IntervalPlannerTest, EvictsAfterTheLastUseOfTheInterval) {
  LayeredStep step = SixLayers();
  const TensorIndex t = step.AddPersistent(kMiB / 2);
  step.Read(4, t);
  step.Read(10, t);
  const auto residencies = ResidenciesOf(
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {}), t);
  ASSERT_EQ(residencies.size(), 2);
  EXPECT_TRUE(residencies[0].moved_out);
  EXPECT_EQ(residencies[0].leave, 5);
  EXPECT_EQ(residencies[0].end, 6);
}

TEST(IntervalPlannerTest, KeepsWhatTheNextIntervalUses) {
  LayeredStep step = SixLayers();
  const TensorIndex t = step.AddPersistent(kMiB / 2);
  step.Read(4, t);
  step.Read(7, t);
  const auto residencies = ResidenciesOf(
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {}), t);
  ASSERT_EQ(residencies.size(), 1);
  EXPECT_EQ(residencies[0].leave, 8);
}

TEST(IntervalPlannerTest, TheMostAccessedTensorGetsTheRoom) {
  LayeredStep step = SixLayers();
  const TensorIndex seldom = step.AddPersistent(kMiB);
  const TensorIndex often = step.AddPersistent(kMiB);
  step.Read(6, seldom);
  step.Read(7, often, 5);
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), kMiB, {});
  EXPECT_TRUE(ResidenciesOf(outcome, seldom).empty());
  EXPECT_EQ(ResidenciesOf(outcome, often).size(), 1);
  EXPECT_EQ(outcome.crowded, 1);
}

TEST(IntervalPlannerTest, FetchesTheNearestFirstWhenToldSo) {
  LayeredStep step = SixLayers();
  const TensorIndex near = step.AddPersistent(kMiB);
  const TensorIndex often = step.AddPersistent(kMiB);
  step.Read(6, near);
  step.Read(7, often, 5);
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), kMiB, {.nearest_first = true});
  EXPECT_EQ(ResidenciesOf(outcome, near).size(), 1);
  EXPECT_TRUE(ResidenciesOf(outcome, often).empty());
}

// Makes a fetch of 4 ms for an interval of 2 ms: the third case.
LayeredStep LateFetch() {
  LayeredStep step = SixLayers();
  step.Read(7, step.AddPersistent(4 * kMiB));
  return step;
}

TEST(IntervalPlannerTest, WaitsForLateFetchesAtTheStartOfTheirInterval) {
  const LayeredStep step = LateFetch();
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), 8 * kMiB, {});
  EXPECT_EQ(outcome.late, std::set<int32_t>{3});
  const auto residencies = ResidenciesOf(outcome, 0);
  ASSERT_EQ(residencies.size(), 1);
  EXPECT_EQ(residencies[0].ready, 6);
}

TEST(IntervalPlannerTest, LeavesLateFetchesSlowWhenToldSo) {
  const LayeredStep step = LateFetch();
  IntervalRules rules;
  rules.leave_late = {false, false, false, true, false, false};
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), 8 * kMiB, rules);
  EXPECT_EQ(outcome.late, std::set<int32_t>{3});
  EXPECT_TRUE(ResidenciesOf(outcome, 0).empty());
}

TEST(IntervalPlannerTest, StagesEveryOperandWhereKernelsNeedThemFast) {
  const LayeredStep step = LateFetch();
  IntervalRules rules{.stage_all = true};
  rules.leave_late.assign(6, true);
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), 8 * kMiB, rules);
  EXPECT_EQ(ResidenciesOf(outcome, 0).size(), 1);
}

TEST(IntervalPlannerTest, ReservesTheRoomOfShortLivedTensorsFromTheStart) {
  LayeredStep step({1, 1, 2, 2, 2, 3});
  const TensorIndex short_lived = step.Add(3 * kMiB, 4, 4);
  const TensorIndex weight = step.AddPersistent(2 * kMiB);
  step.Write(4, short_lived);
  step.Read(2, weight);
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {});
  ASSERT_EQ(ResidenciesOf(outcome, short_lived).size(), 1);
  EXPECT_TRUE(ResidenciesOf(outcome, short_lived)[0].early);
  // Kernel 2 has room, but the interval's short-lived tensor comes later.
  EXPECT_TRUE(ResidenciesOf(outcome, weight).empty());
}

TEST(IntervalPlannerTest, ShrinksTheReservedRoomAsShortLivedTensorsAreDone) {
  LayeredStep step({1, 1, 2, 2, 2, 3});
  const TensorIndex short_lived = step.Add(3 * kMiB, 2, 2);
  const TensorIndex weight = step.AddPersistent(2 * kMiB);
  step.Write(2, short_lived);
  step.Read(4, weight);
  const IntervalOutcome outcome =
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {.stage_all = true});
  ASSERT_EQ(ResidenciesOf(outcome, weight).size(), 1);
  EXPECT_EQ(ResidenciesOf(outcome, weight)[0].begin, 3);
}

// Holds a weight and an activation that rest in the middle of the step, with
// room for one of them while another weight is used.
struct Resting {
  LayeredStep step = SixLayers();
  TensorIndex activation = step.Add(kMiB, 0, 9);
  TensorIndex weight = step.AddPersistent(kMiB);
  TensorIndex other = step.AddPersistent(kMiB);

  Resting() {
    step.Write(0, activation);
    step.Read(9, activation);
    step.Read(1, weight);
    step.Read(11, weight);
    step.Read(6, other);
  }
};

TEST(IntervalPlannerTest, IdleTensorsStayWhileNobodyNeedsTheirRoom) {
  const Resting resting;
  const IntervalOutcome outcome = PlanIntervals(
      resting.step.graph(), Addressable(), 8 * kMiB, {.evict_idle = false});
  EXPECT_EQ(ResidenciesOf(outcome, resting.activation).size(), 1);
  const IntervalOutcome eager =
      PlanIntervals(resting.step.graph(), Addressable(), 8 * kMiB, {});
  EXPECT_EQ(ResidenciesOf(eager, resting.activation).size(), 2);
}

TEST(IntervalPlannerTest, TheIdleTensorOfTheFewestLayersIsTheVictim) {
  const Resting resting;
  const IntervalOutcome outcome = PlanIntervals(
      resting.step.graph(), Addressable(), 2 * kMiB, {.evict_idle = false});
  // The weight lives in all layers, the activation in all but the last.
  const auto activation = ResidenciesOf(outcome, resting.activation);
  const auto weight = ResidenciesOf(outcome, resting.weight);
  ASSERT_EQ(activation.size(), 2);
  ASSERT_FALSE(weight.empty());
  EXPECT_LE(activation[0].end, 4);
  EXPECT_EQ(weight[0].end, 6);
}

TEST(IntervalPlannerTest, APersistentTensorOfBothEndsStaysAcrossThem) {
  LayeredStep step = SixLayers();
  const TensorIndex t = step.AddPersistent(kMiB);
  step.Read(0, t);
  step.Read(11, t);
  const auto residencies = ResidenciesOf(
      PlanIntervals(step.graph(), Addressable(), 4 * kMiB, {}), t);
  ASSERT_EQ(residencies.size(), 2);
  EXPECT_FALSE(residencies[0].moved_in);
  EXPECT_EQ(residencies[1].end, 13);
  EXPECT_FALSE(residencies[1].moved_out);
}

// Returns the bytes held in the fast tier, boundary by boundary.
std::vector<int64_t> HeldBytes(const Graph& graph,
                               const IntervalOutcome& outcome) {
  std::vector<int64_t> held(graph.kernels.size() + 1);
  for (const Residency& residency : outcome.residencies) {
    for (KernelIndex b = residency.begin; b < residency.end; ++b) {
      held[b] += RoundUpToPlacement(graph.tensors[residency.tensor].size_bytes);
    }
  }
  return held;
}

TEST(IntervalPlannerTest, HoldsNoMoreThanTheBudgetOrWhatAKernelNeeds) {
  const MemorySystem system = Addressable();
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = RandomGraph(seed);
    const int64_t limit = FindLeastLimit(graph, system).bytes +
                          ComputeLiveness(graph).peak_bytes / 5;
    const Workload workload = *MakeWorkload(graph, system, limit);
    for (const bool stage_all : {false, true}) {
      for (const bool evict_idle : {false, true}) {
        const IntervalOutcome outcome =
            PlanIntervals(graph, system, limit,
                          {.stage_all = stage_all, .evict_idle = evict_idle});
        const std::vector<int64_t> held = HeldBytes(graph, outcome);
        for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
          EXPECT_LE(held[k],
                    std::max(workload.arena_bytes, workload.need_bytes[k]))
              << "seed " << seed << " kernel " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies
