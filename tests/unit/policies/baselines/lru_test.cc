#include "policies/baselines/lru.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns tensors of 1 MiB that persist; kernel k reads order[k].
Graph Reads(int tensors, const std::vector<TensorIndex>& order) {
  Graph graph;
  graph.name = "reads";
  graph.tensors.assign(tensors, {.size_bytes = kMiB, .persistent = true});
  for (TensorIndex t : order) {
    Kernel kernel{.name = "read"};
    kernel.operands = {{.tensor = t, .read = true}};
    kernel.profile.fast_inputs_fast_outputs = {1000, DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  return graph;
}

std::vector<TensorIndex> Evicted(const Plan& plan) {
  std::vector<TensorIndex> evicted;
  for (const Move& move : plan.moves) {
    if (move.from.tier == kFastTier) evicted.push_back(move.tensor);
  }
  return evicted;
}

TEST(LruTest, EvictsTheTensorThatWasUsedLongestAgo) {
  const Graph graph = Reads(3, {0, 1, 0, 2, 0, 2});
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  const auto plan =
      LruPolicy().MakePlan(graph, gpu, {.fast_limit_bytes = 2 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, gpu, *plan), absl::OkStatus());
  // The step begins with 0 in the fast tier (and 2, which is not kept to the
  // end in every steady state): 1 must make way for 2, never 0.
  for (TensorIndex t : Evicted(*plan)) EXPECT_NE(t, 0);
}

TEST(LruTest, EveryMoveIsWaitedFor) {
  const Graph graph = Reads(4, {0, 1, 2, 3, 0, 1, 2, 3});
  const auto plan = LruPolicy().MakePlan(graph, *PresetMemorySystem("gpu-pcie"),
                                         {.fast_limit_bytes = 3 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_FALSE(plan->moves.empty());
  for (const Move& move : plan->moves) EXPECT_TRUE(move.synchronous());
  EXPECT_GT(plan->prediction.stall_ns, 0);
}

TEST(LruTest, ACyclicScanMissesEveryTime) {
  const Graph graph = Reads(4, {0, 1, 2, 3});
  const auto plan = LruPolicy().MakePlan(graph, *PresetMemorySystem("gpu-pcie"),
                                         {.fast_limit_bytes = 3 * kMiB});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->prediction.moved_in_bytes, 4 * kMiB);
}

}  // namespace
}  // namespace stowage::policies
