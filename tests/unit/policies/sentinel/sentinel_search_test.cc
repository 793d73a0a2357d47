#include "policies/sentinel/sentinel_search.h"

#include "gtest/gtest.h"
#include "policies/intervals/interval_demand.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/sentinel/interval_length.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

class SentinelSearchTest : public testing::Test {
 protected:
  SentinelSearchTest() {
    // A slow medium, so that fetches are late.
    for (CopyCurve& curve : system_.copies) {
      for (CopyPoint& point : curve.points) point.bytes_per_second /= 4;
    }
    for (Tier& tier : system_.tiers) {
      if (&tier == &system_.tiers[kFastTier]) continue;
      for (BandwidthPoint& point : tier.read) point.bytes_per_second /= 4;
    }
    workload_ =
        *MakeWorkload(graph_, system_, ComputeLiveness(graph_).peak_bytes / 5);
  }

  SentinelDecision Decide(bool stage_all, LayerIndex length) {
    return DecideSentinel(graph_, system_, workload_, layers_, stage_all,
                          length, absl::InfiniteFuture());
  }

  Graph graph_ = TrainingStepGraph(20, 3);
  MemorySystem system_ = *PresetMemorySystem("optane");
  Workload workload_;
  Layers layers_ = FindLayers(graph_);
};

TEST_F(SentinelSearchTest, TrialsAreNoSlowerThanWaitingOrLeavingEverywhere) {
  const std::vector<int64_t> kernel_ns = AllFastKernelNs(graph_, system_);
  int32_t trial_steps = 0;
  for (LayerIndex length : {2, 4, 8}) {
    const SentinelDecision decision = Decide(false, length);
    trial_steps += decision.trial_steps;
    IntervalChoice choice{.length = length};
    for (bool leave : {false, true}) {
      choice.rules.leave_late.assign(layers_.count(), leave);
      const TrialResult plain =
          TryIntervals(graph_, system_, workload_, layers_, choice, kernel_ns);
      EXPECT_LE(decision.result.step_time_ns, plain.step_time_ns)
          << length << " " << leave;
    }
  }
  EXPECT_GT(trial_steps, 0);
}

TEST_F(SentinelSearchTest, TheSearchedLengthIsNoSlowerThanFixedOnes) {
  const SentinelDecision searched = Decide(true, 0);
  const IntervalLengths lengths = FindIntervalLengths(
      graph_, system_, layers_, AllFastKernelNs(graph_, system_),
      workload_.arena_bytes);
  ASSERT_GT(lengths.best.size(), 1);
  for (LayerIndex length : lengths.best) {
    EXPECT_LE(searched.result.step_time_ns,
              Decide(true, length).result.step_time_ns * 1.01)
        << length;
  }
}

TEST_F(SentinelSearchTest, NeverLeavesOperandsSlowWhereKernelsNeedThemFast) {
  const SentinelDecision decision = Decide(true, 4);
  EXPECT_EQ(decision.trial_steps, 0);
  EXPECT_EQ(decision.result.locality, 1.0);
}

TEST_F(SentinelSearchTest, JudgesOneLengthAtLeastWhenTimeIsUp) {
  const SentinelDecision decision = DecideSentinel(
      graph_, system_, workload_, layers_, false, 0, absl::InfinitePast());
  EXPECT_TRUE(decision.out_of_time);
  EXPECT_GT(decision.result.step_time_ns, 0);
  EXPECT_FALSE(decision.kernel_ns.empty());
}

}  // namespace
}  // namespace stowage::policies
