#include "policies/swap/offload.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/swap/pressure.h"
#include "tests/unit/policies/baselines/chain_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;

class OffloadTest : public testing::Test {
 protected:
  std::vector<TensorIndex> Tensors(const std::vector<InactivePeriod>& periods) {
    std::vector<TensorIndex> tensors;
    tensors.reserve(periods.size());
    for (const InactivePeriod& period : periods) {
      tensors.push_back(period.tensor);
    }
    return tensors;
  }

  const Graph graph_ = ChainGraph({.layers = 6});
  const MemorySystem system_ = *PresetMemorySystem("gpu-pcie");
  const Workload workload_ = *MakeWorkload(graph_, system_, 64 * kMiB);
  const StepFacts facts_{graph_, system_, workload_};
};

TEST_F(OffloadTest, TheStepTurnsWhereMostWaits) {
  EXPECT_EQ(TurningPoint(facts_), 6);
}

TEST_F(OffloadTest, FeatureMapsWaitAcrossTheTurn) {
  // Activation 5 is used by the last forward and the first backward kernel.
  EXPECT_THAT(Tensors(FeatureMaps(facts_)), ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(OffloadTest, CopiesInEndAsTheyAreNeeded) {
  std::vector<Offload> offloads;
  for (const InactivePeriod& period : FeatureMaps(facts_)) {
    offloads.push_back({.period = period, .leave = period.from});
  }
  FetchJustInTime(facts_, offloads);
  for (const Offload& offload : offloads) {
    // A copy takes less than a kernel, so one kernel ahead is enough, except
    // for a tensor that is needed one kernel after it has gone.
    const InactivePeriod& period = offload.period;
    EXPECT_EQ(offload.fetch, std::max(period.from, period.to - 1))
        << period.tensor;
  }
}

TEST_F(OffloadTest, CopiesInThatShareALaneStartEarlier) {
  Graph graph = graph_;
  for (KernelIndex k = 7; k < 12; ++k) {
    graph.kernels[k].profile.fast_inputs_fast_outputs.duration_ns = 1000;
  }
  const StepFacts facts(graph, system_, workload_);
  std::vector<Offload> offloads;
  for (const InactivePeriod& period : FeatureMaps(facts)) {
    offloads.push_back({.period = period, .leave = period.from});
  }
  FetchJustInTime(facts, offloads);
  // All have to come back during the first kernel of the backward pass.
  for (const Offload& offload : offloads) EXPECT_LE(offload.fetch, 6);
}

TEST_F(OffloadTest, AScriptThatFitsLeavesNothingToDemandPaging) {
  std::vector<Offload> offloads;
  for (const InactivePeriod& period : FeatureMaps(facts_)) {
    // The period needs kernels enough for a copy out and one in.
    if (period.to - period.from < 2) continue;
    offloads.push_back({.period = period, .leave = period.from});
  }
  FetchJustInTime(facts_, offloads);
  const SwapRun run = RunOffloads(facts_, offloads, 5 * kMiB);
  EXPECT_TRUE(run.follows_script());
  EXPECT_TRUE(run.notes.empty());
}

TEST_F(OffloadTest, WhatAScriptLeavesToDemandPagingIsNoted) {
  const SwapRun run = RunOffloads(facts_, {}, 4 * kMiB);
  EXPECT_GT(run.evicted_bytes, 0);
  EXPECT_GT(run.demand_bytes, 0);
  EXPECT_EQ(run.notes.size(), 1);
}

TEST_F(OffloadTest, PressureIsWhatIsOverTheBudget) {
  // Six activations and a gradient are alive at kernel 6.
  Pressure pressure(facts_, 6 * kMiB);
  EXPECT_TRUE(pressure.IsOver(6, 7));
  EXPECT_FALSE(pressure.IsOver(0, 5));
  EXPECT_GT(pressure.Relief(2, 11, kMiB), 0);
  EXPECT_EQ(pressure.Relief(0, 5, kMiB), 0);
  pressure.Relieve(2, 11, kMiB);
  EXPECT_FALSE(pressure.IsOver(6, 7));
}

TEST_F(OffloadTest, APrefetchMovesAheadWhileThereIsRoom) {
  Pressure pressure(facts_, 7 * kMiB);
  const KernelIndex at = pressure.EarliestWithRoom(0, 11, kMiB);
  EXPECT_EQ(at, 8);  // seven are held up to kernel 7
}

}  // namespace
}  // namespace stowage::policies
