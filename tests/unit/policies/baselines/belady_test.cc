#include "policies/baselines/belady.h"

#include <algorithm>

#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/lru.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a step of the end-to-end job's shape: about 1,100 kernels, some
// seconds.
Graph LargeStep() { return TrainingStepGraph(130, 1); }

absl::StatusOr<Plan> Belady(const Graph& graph, const MemorySystem& system,
                            double ratio) {
  const auto limit =
      static_cast<int64_t>(ratio * ComputeLiveness(graph).peak_bytes);
  return BeladyPolicy().MakePlan(graph, system, {.fast_limit_bytes = limit});
}

TEST(BeladyTest, HidesCopiesToAFileBehindKernelsAt40Percent) {
  const Graph graph = LargeStep();
  const MemorySystem file = *PresetMemorySystem("file");
  const auto plan = Belady(graph, file, 0.4);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, file, *plan), absl::OkStatus());
  EXPECT_FALSE(plan->moves.empty());
  EXPECT_LT(plan->prediction.stall_ns, plan->prediction.step_time_ns / 50);
}

TEST(BeladyTest, IsNoSlowerThanLru) {
  const Graph graph = TrainingStepGraph(40, 3);
  const MemorySystem file = *PresetMemorySystem("file");
  for (const double ratio : {0.15, 0.2, 0.3, 0.5, 0.7, 0.9}) {
    const auto limit =
        static_cast<int64_t>(ratio * ComputeLiveness(graph).peak_bytes);
    const auto lru =
        LruPolicy().MakePlan(graph, file, {.fast_limit_bytes = limit});
    const auto belady = Belady(graph, file, ratio);
    ASSERT_TRUE(lru.ok() && belady.ok());
    EXPECT_LE(belady->prediction.step_time_ns, lru->prediction.step_time_ns)
        << ratio;
  }
}

TEST(BeladyTest, PlansALargeStepInAFractionOfASecond) {
  const Graph graph = LargeStep();
  const MemorySystem file = *PresetMemorySystem("file");
  const absl::Time start = absl::Now();
  ASSERT_TRUE(Belady(graph, file, 0.4).ok());
  // The limit is generous: planning takes about 50 ms, and longer with
  // sanitizers and on busy machines.
  EXPECT_LT(absl::Now() - start, absl::Seconds(5));
}

TEST(BeladyTest, EvictsTheTensorWhoseNextUseIsFarthest) {
  Graph graph;
  graph.name = "farthest";
  graph.tensors.assign(3, {.size_bytes = kMiB, .persistent = true});
  // Tensor 1 is used again soon, tensor 0 at the end.
  for (TensorIndex t : {0, 1, 2, 1, 2, 1, 0}) {
    Kernel kernel{.name = "read"};
    kernel.operands = {{.tensor = t, .read = true}};
    kernel.profile.fast_inputs_fast_outputs = {10'000'000,
                                               DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const auto plan =
      BeladyPolicy().MakePlan(graph, gpu, {.fast_limit_bytes = 2 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const bool evicts_0_early =
      std::any_of(plan->moves.begin(), plan->moves.end(), [](const Move& move) {
        return move.tensor == 0 && move.from.tier == kFastTier &&
               move.deadline_kernel <= 2;
      });
  EXPECT_TRUE(evicts_0_early);
  for (const Move& move : plan->moves) {
    if (move.tensor != 1) continue;
    EXPECT_TRUE(move.start_kernel >= 6 || move.deadline_kernel <= 1)
        << "tensor 1 is moved between boundaries " << move.start_kernel
        << " and " << move.deadline_kernel;
  }
}

TEST(BeladyTest, StreamsWhatIsLargerThanTheLimit) {
  Graph graph = TrainingStepGraph(6, 2);
  // A fully connected layer whose weight alone exceeds the limit.
  graph.tensors.push_back({.size_bytes = 200 * kMiB, .persistent = true});
  const TensorIndex weight = graph.tensor_count() - 1;
  graph.kernels[3].operands.push_back({.tensor = weight, .read = true});
  graph.kernels[20].operands.push_back(
      {.tensor = weight, .read = true, .write = true});
  const MemorySystem file = *PresetMemorySystem("file");
  const auto plan =
      BeladyPolicy().MakePlan(graph, file, {.fast_limit_bytes = 120 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, file, *plan), absl::OkStatus());
  ASSERT_EQ(plan->streams.size(), 2);
  EXPECT_EQ(plan->streams[0].kernel, 3);
  EXPECT_EQ(plan->streams[1].kernel, 20);
}

TEST(BeladyTest, TakesTheNextTierWhenOneIsFull) {
  const Graph graph = TrainingStepGraph(20, 4);
  MemorySystem g10 = *PresetMemorySystem("g10-a100");
  g10.tiers[1].capacity_bytes = 20 * kMiB;
  const auto plan = Belady(graph, g10, 0.4);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, g10, *plan), absl::OkStatus());
  const bool uses_ssd =
      std::any_of(plan->moves.begin(), plan->moves.end(),
                  [](const Move& move) { return move.to.tier == 2; });
  EXPECT_TRUE(uses_ssd);
}

TEST(BeladyTest, SaysWhenTheSlowerTiersAreTooSmall) {
  const Graph graph = TrainingStepGraph(20, 4);
  MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  gpu.tiers[1].capacity_bytes = kMiB;
  const auto plan = Belady(graph, gpu, 0.3);
  EXPECT_EQ(plan.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(plan.status().message()),
              testing::HasSubstr("do not fit into the slower tiers"));
}

TEST(BeladyTest, NamesTheTiersThatKernelsCouldUseWhereTheyAreTooSmall) {
  Graph graph = TrainingStepGraph(20, 4);
  MemorySystem system = *PresetMemorySystem("optane");
  system.tiers.push_back(system.tiers[1]);
  system.tiers[1].name = "small";
  system.tiers[1].capacity_bytes = 4096;
  system.tiers[2].name = "file";
  system.tiers[2].addressable = false;
  const int64_t least = FindLeastLimit(graph, system).bytes;
  const auto plan =
      BeladyPolicy().MakePlan(graph, system, {.fast_limit_bytes = least});
  EXPECT_THAT(std::string(plan.status().message()),
              testing::HasSubstr("in which kernels use it: small of 4096 "
                                 "bytes;"));
}

}  // namespace
}  // namespace stowage::policies
