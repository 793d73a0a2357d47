#include "policies/baselines/unified_memory.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/simulate/simulator.h"
#include "policies/swap/page_faults.h"
#include "tests/unit/policies/baselines/chain_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const MemorySystem kGpu = *PresetMemorySystem("gpu-pcie");

Graph GraphWithFaults(int64_t inputs_ns, int64_t all_ns) {
  Graph graph = ChainGraph();
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.slow_inputs_fast_outputs = {inputs_ns,
                                               DurationSource::kMeasured};
    kernel.profile.slow_inputs_slow_outputs = {all_ns,
                                               DurationSource::kMeasured};
  }
  return graph;
}

Plan MakePlan(const Graph& graph) {
  return *UnifiedMemoryPolicy().MakePlan(graph, kGpu,
                                         {.fast_limit_bytes = 8 * kMiB});
}

TEST(UnifiedMemoryTest, WaitsForEveryCopy) {
  const Plan plan = MakePlan(ChainGraph());
  ASSERT_FALSE(plan.moves.empty());
  for (const Move& move : plan.moves) EXPECT_TRUE(move.synchronous());
}

TEST(UnifiedMemoryTest, ChargesWhatFaultsWereMeasuredToTakeBeyondTheCopies) {
  const Graph graph = GraphWithFaults(10'000'000, 20'000'000);
  const Plan plan = MakePlan(graph);
  const int64_t copies_ns =
      Simulate(graph, kGpu, plan)->prediction.step_time_ns;
  // Each fetch of one of two inputs is half of 9 ms of faults, less its copy.
  int64_t fetched = 0;
  for (const Move& move : plan.moves) fetched += move.to.tier == kFastTier;
  const int64_t each_ns = 4'500'000 - kGpu.CopyDurationNs(1, kFastTier, kMiB);
  EXPECT_EQ(plan.prediction.step_time_ns, copies_ns + fetched * each_ns);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("page faults")));
}

TEST(UnifiedMemoryTest, FaultsAreNeverCheaperThanTheirCopies) {
  const Graph graph = GraphWithFaults(1'000'001, 1'000'002);
  const Plan plan = MakePlan(graph);
  EXPECT_EQ(plan.prediction.step_time_ns,
            Simulate(graph, kGpu, plan)->prediction.step_time_ns);
}

TEST(UnifiedMemoryTest, SaysWhenNoTimeWithFaultsWasMeasured) {
  const Graph graph = ChainGraph();
  const Plan plan = MakePlan(graph);
  EXPECT_EQ(plan.prediction.step_time_ns,
            Simulate(graph, kGpu, plan)->prediction.step_time_ns);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("have no measured time")));
}

TEST(PageFaultsTest, PrefetchesDoNotFault) {
  const Graph graph = GraphWithFaults(10'000'000, 20'000'000);
  Plan plan;
  plan.moves = {{.tensor = 0,
                 .from = {.tier = 1},
                 .start_kernel = 29,
                 .deadline_kernel = 31}};
  ChargePageFaults(graph, kGpu, plan);
  EXPECT_EQ(plan.prediction.step_time_ns, 0);
  EXPECT_THAT(plan.notes, IsEmpty());
}

}  // namespace
}  // namespace stowage::policies
