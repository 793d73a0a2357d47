#include "policies/learned_prices/learned_prices_policy.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

absl::StatusOr<Plan> PlanPlus(const Graph& graph, const MemorySystem& system,
                              int64_t limit_bytes) {
  return (*MakePolicy("learned-prices"))
      ->MakePlan(graph, system, {.fast_limit_bytes = limit_bytes});
}

TEST(LearnedPricesPolicyTest, PlansOfRandomGraphsPassTheVerifier) {
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 25; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      const int64_t peak = ComputeLiveness(graph).peak_bytes;
      for (const double share : {0.0, 0.3}) {
        const auto limit = least + static_cast<int64_t>(share * peak);
        const auto plan = PlanPlus(graph, system, limit);
        ASSERT_TRUE(plan.ok()) << name << seed << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " share " << share;
      }
    }
  }
}

// The network was not trained on this graph.
TEST(LearnedPricesPolicyTest, ComesNearAnnealedSearchOnAnUnseenGraph) {
  const Graph graph = TrainingStepGraph(15, 77);
  for (const char* name : {"optane", "file", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const int64_t limit = ComputeLiveness(graph).peak_bytes / 4;
    const auto plus = PlanPlus(graph, system, limit);
    const auto annealed =
        (*MakePolicy("annealed-search"))
            ->MakePlan(graph, system, {.fast_limit_bytes = limit});
    ASSERT_TRUE(plus.ok() && annealed.ok())
        << plus.status() << annealed.status();
    EXPECT_EQ(plus->policy, "learned-prices");
    EXPECT_LE(0.95 * plus->prediction.step_time_ns,
              annealed->prediction.step_time_ns)
        << name;
  }
}

TEST(LearnedPricesPolicyTest, MakesTheSamePlanTwice) {
  const Graph graph = TrainingStepGraph(12, 5);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t limit = ComputeLiveness(graph).peak_bytes / 5;
  const auto first = PlanPlus(graph, optane, limit);
  const auto second = PlanPlus(graph, optane, limit);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(PlanToProto(*first).SerializeAsString(),
            PlanToProto(*second).SerializeAsString());
}

TEST(LearnedPricesPolicyTest, SaysTheLeastLimitWhereNoneWorks) {
  const Graph graph = TrainingStepGraph(5, 1);
  const auto plan = PlanPlus(graph, *PresetMemorySystem("gpu-pcie"), 4096);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()),
              testing::HasSubstr("least limit"));
}

}  // namespace
}  // namespace stowage::policies
