// Tests what all baseline policies have in common.
#include <regex>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<Plan> MakePlan(std::string_view policy, const Graph& graph,
                              std::string_view system, int64_t limit_bytes) {
  return (*MakePolicy(policy))
      ->MakePlan(graph, *PresetMemorySystem(system),
                 {.fast_limit_bytes = limit_bytes});
}

TEST(PoliciesTest, MoveNothingWhenEverythingFits) {
  const Graph graph = TrainingStepGraph(8, 1);
  const int64_t limit = 2 * ComputeLiveness(graph).peak_bytes;
  for (const std::string& name : PolicyNames()) {
    const auto plan = MakePlan(name, graph, "optane", limit);
    ASSERT_TRUE(plan.ok()) << name << ": " << plan.status();
    EXPECT_TRUE(plan->fits) << name;
    EXPECT_THAT(plan->moves, IsEmpty()) << name;
    EXPECT_EQ(plan->policy, name);
    EXPECT_EQ(plan->prediction.stall_ns, 0) << name;
    EXPECT_EQ(plan->prediction.locality, 1.0) << name;
  }
}

TEST(PoliciesTest, SayNoMoreThanTheTierHoldsAsTheirLimit) {
  Graph graph = TrainingStepGraph(8, 1);
  MemorySystem system = *PresetMemorySystem("optane");
  system.tiers[0].capacity_bytes = 64 * kMiB;
  const auto plan =
      (*MakePolicy("belady"))
          ->MakePlan(graph, system, {.fast_limit_bytes = int64_t{1} << 50});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->fast_limit_bytes, 64 * kMiB);
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
}

TEST(PoliciesTest, AreDeterministic) {
  const Graph graph = TrainingStepGraph(12, 5);
  const int64_t limit = ComputeLiveness(graph).peak_bytes * 2 / 5;
  for (const std::string& name : PolicyNames()) {
    const auto first = MakePlan(name, graph, "optane", limit);
    const auto second = MakePlan(name, graph, "optane", limit);
    ASSERT_EQ(first.status(), second.status());
    if (!first.ok()) continue;
    EXPECT_EQ(PlanToProto(*first).SerializeAsString(),
              PlanToProto(*second).SerializeAsString())
        << name;
  }
}

// Returns the number of bytes that a message names as the least limit that
// works.
int64_t LeastLimitIn(const absl::Status& status) {
  const std::string message(status.message());
  std::smatch match;
  const std::regex pattern(
      R"(the least limit that works is (?:[\d.]+ MiB \()?(\d+) bytes)");
  return std::regex_search(message, match, pattern) ? std::stoll(match[1]) : -1;
}

TEST(PoliciesTest, TheLeastLimitTheyNameWorks) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    const Graph graph = RandomGraph(seed);
    for (const char* system : {"optane", "file", "gpu-pcie"}) {
      for (const std::string& name : PolicyNames()) {
        // Integer programs take longer and see fewer graphs.
        if (name.starts_with("autotm-") && seed % 15 != 0) continue;
        const auto plan = MakePlan(name, graph, system, 0);
        if (plan.ok()) continue;
        const int64_t least = LeastLimitIn(plan.status());
        if (least < 0) {
          EXPECT_THAT(std::string(plan.status().message()),
                      HasSubstr("; use "));
          continue;
        }
        const auto retried = MakePlan(name, graph, system, least);
        EXPECT_TRUE(retried.ok())
            << seed << " " << system << " " << name << ": " << retried.status();
      }
    }
  }
}

TEST(AllFastTest, NamesTheFullestKernelWhenItDoesNotFit) {
  const Graph graph = TrainingStepGraph(8, 1);
  const Liveness liveness = ComputeLiveness(graph);
  const auto plan =
      MakePlan("all-fast", graph, "optane", liveness.peak_bytes / 2);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("kernel " + std::to_string(liveness.peak_kernel) +
                        " (" + graph.kernels[liveness.peak_kernel].name + ")"));
}

TEST(AllFastTest, SaysThatTheTierHasNoMoreWhereThatIsTheLimit) {
  MemorySystem optane = *PresetMemorySystem("optane");
  optane.tiers[kFastTier].capacity_bytes = 4096;
  const auto plan = (*MakePolicy("all-fast"))
                        ->MakePlan(TrainingStepGraph(8, 1), optane,
                                   {.fast_limit_bytes = 64 * kMiB});
  EXPECT_THAT(std::string(plan.status().message()),
              HasSubstr("fast limit 4096 bytes, the capacity of tier 'dram',"));
}

TEST(AllSlowTest, LeavesEverythingInAnAddressableTier) {
  const Graph graph = TrainingStepGraph(8, 1);
  const auto plan = MakePlan("all-slow", graph, "optane", 64 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->moves, IsEmpty());
  EXPECT_EQ(plan->prediction.fast_peak_bytes, 0);
  EXPECT_EQ(plan->prediction.locality, 0);
}

TEST(AllSlowTest, SaysThatTheTimesOfSlowOperandsAreDerived) {
  const auto plan =
      MakePlan("all-slow", TrainingStepGraph(8, 1), "optane", 64 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->notes, Contains(HasSubstr("derived, not measured")));
}

TEST(AllSlowTest, SaysNothingOfTimesThatItsPlanDoesNotUse) {
  const auto plan =
      MakePlan("all-slow", TrainingStepGraph(8, 1), "gpu-pcie", 64 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->notes, IsEmpty());
}

TEST(AllSlowTest, StagesEachOperandWhereKernelsCannotReachIt) {
  const Graph graph = TrainingStepGraph(8, 1);
  const auto plan = MakePlan("all-slow", graph, "gpu-pcie", 64 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->prediction.locality, 1.0);
  for (const Move& move : plan->moves) EXPECT_TRUE(move.synchronous());
}

TEST(FirstTouchTest, FillsTheFastTierInAllocationOrderAndNeverMoves) {
  Graph graph;
  graph.name = "three";
  graph.tensors.resize(3);
  graph.tensors[0] = {.size_bytes = 8 * kMiB, .persistent = true};
  graph.tensors[1] = {
      .size_bytes = 4 * kMiB, .birth_kernel = 0, .death_kernel = 1};
  graph.tensors[2] = {
      .size_bytes = 2 * kMiB, .birth_kernel = 1, .death_kernel = 1};
  for (int k = 0; k < 2; ++k) {
    Kernel kernel{.name = "k"};
    kernel.profile.fast_inputs_fast_outputs = {1000, DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  const auto plan = MakePlan("first-touch", graph, "optane", 11 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->moves, IsEmpty());
  EXPECT_EQ(plan->initial[0].at.tier, kFastTier);
  EXPECT_EQ(plan->allocations[0].at.tier, 1);
  EXPECT_EQ(plan->allocations[1].at.tier, kFastTier);
}

TEST(FirstTouchTest, SaysThatItNeedsAnAddressableTier) {
  const auto plan =
      MakePlan("first-touch", TrainingStepGraph(4, 1), "file", 64 * kMiB);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("in place"));
}

}  // namespace
}  // namespace stowage::policies
