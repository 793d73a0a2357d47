#include "policies/deeptm/heat_policy.h"

#include <algorithm>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

// Plans of all modes are sound, whatever the graph, the tiers and the actor.
TEST(DeepTmPlansTest, PassTheVerifierOnRandomGraphs) {
  int planned = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const Graph graph = RandomGraph(seed);
    for (const char* preset : {"optane", "file", "gpu-pcie"}) {
      const MemorySystem system = *PresetMemorySystem(preset);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      const int64_t peak = ComputeLiveness(graph).peak_bytes;
      for (int64_t limit : {least, std::max(least, peak / 2)}) {
        if (limit <= 0) continue;
        const PlanOptions options{.fast_limit_bytes = limit};
        for (MigrationMode mode :
             {MigrationMode::kSynchronous, MigrationMode::kAsynchronous}) {
          DqnPolicy untrained = UntrainedPolicy(graph, system, limit, seed);
          untrained.settings.migration = mode;
          const auto heat =
              DeepTmHeatPolicy(mode).MakePlan(graph, system, options);
          const auto dqn = PlanWithDqn(untrained, graph, system, options);
          for (const auto* plan : {&heat, &dqn}) {
            ASSERT_TRUE(plan->ok()) << seed << preset << plan->status();
            EXPECT_EQ(VerifyPlan(graph, system, **plan), absl::OkStatus())
                << "graph " << seed << " on " << preset << " with " << limit;
            ++planned;
          }
        }
      }
    }
  }
  EXPECT_GT(planned, 500);
}

TEST(DeepTmHeatPolicyTest, KeepsHotTensorsFastAndLeavesTheRest) {
  const Graph graph = TrainingStepGraph(10, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const auto plan = DeepTmHeatPolicy(MigrationMode::kAsynchronous)
                        .MakePlan(graph, system,
                                  {.fast_limit_bytes =
                                       ComputeLiveness(graph).peak_bytes / 5});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->policy, "deeptm-heat");
  EXPECT_GT(plan->prediction.locality, 0.2);
  EXPECT_LT(plan->prediction.locality, 1.0);
}

TEST(DeepTmHeatPolicyTest, SingleCharacteristicsGiveOtherPlans) {
  const Graph graph = TrainingStepGraph(10, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const PlanOptions options{.fast_limit_bytes =
                                ComputeLiveness(graph).peak_bytes / 5};
  const auto locality = [&](const HeatSettings& settings) {
    return DeepTmHeatPolicy(MigrationMode::kSynchronous, settings)
        .MakePlan(graph, system, options)
        ->prediction.locality;
  };
  EXPECT_NE(locality(RecencyAlone()), locality(SizeAlone()));
  EXPECT_NE(locality(FrequencyAlone()), locality(LifetimeAlone()));
}

TEST(DeepTmPolicyTest, PlansTheSameBytesAgain) {
  const Graph graph = TrainingStepGraph(10, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 5;
  const auto policy = MakeDeepTmPolicy(UntrainedPolicy(graph, system, limit));
  const auto one = policy->MakePlan(graph, system, {.fast_limit_bytes = limit});
  const auto two = policy->MakePlan(graph, system, {.fast_limit_bytes = limit});
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_EQ(one->policy, "deeptm");
  EXPECT_EQ(one->moves.size(), two->moves.size());
  EXPECT_EQ(one->prediction.step_time_ns, two->prediction.step_time_ns);
}

TEST(DeepTmPolicyTest, NotesAnotherLimitThanItWasTrainedFor) {
  const Graph graph = TrainingStepGraph(10, 1);
  const MemorySystem system = *PresetMemorySystem("optane");
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 5;
  const auto plan = PlanWithDqn(UntrainedPolicy(graph, system, limit), graph,
                                system, {.fast_limit_bytes = 2 * limit});
  ASSERT_TRUE(plan.ok());
  ASSERT_FALSE(plan->notes.empty());
  EXPECT_THAT(plan->notes.back(), HasSubstr("not with this limit"));
}

TEST(DeepTmPolicyTest, RefusesAPolicyOfAnotherGraph) {
  const MemorySystem system = *PresetMemorySystem("optane");
  const DqnPolicy policy =
      UntrainedPolicy(TrainingStepGraph(10, 1), system, 1 << 20);
  const auto plan = PlanWithDqn(policy, TrainingStepGraph(9, 1), system,
                                {.fast_limit_bytes = 1 << 20});
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stowage::policies
