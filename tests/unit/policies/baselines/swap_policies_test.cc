// Tests how the swapping systems differ from each other.
#include <algorithm>
#include <map>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/capuchin.h"
#include "policies/baselines/deepum.h"
#include "policies/baselines/flashneuron.h"
#include "policies/baselines/g10.h"
#include "policies/baselines/lru.h"
#include "policies/baselines/swapadvisor.h"
#include "policies/baselines/vdnn.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/baselines/chain_graph.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Plan MakePlan(const Policy& policy, const Graph& graph, std::string_view preset,
              int64_t limit_bytes, PlanOptions options = {}) {
  options.fast_limit_bytes = limit_bytes;
  const MemorySystem system = *PresetMemorySystem(preset);
  const absl::StatusOr<Plan> plan = policy.MakePlan(graph, system, options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  return *plan;
}

std::vector<Move> Outs(const Plan& plan) {
  std::vector<Move> outs;
  std::copy_if(plan.moves.begin(), plan.moves.end(), std::back_inserter(outs),
               [](const Move& move) { return move.from.tier == kFastTier; });
  return outs;
}

std::vector<Move> Ins(const Plan& plan) {
  std::vector<Move> ins;
  std::copy_if(plan.moves.begin(), plan.moves.end(), std::back_inserter(ins),
               [](const Move& move) { return move.to.tier == kFastTier; });
  return ins;
}

std::vector<TensorIndex> Tensors(const std::vector<Move>& moves) {
  std::vector<TensorIndex> tensors;
  tensors.reserve(moves.size());
  for (const Move& move : moves) tensors.push_back(move.tensor);
  return tensors;
}

std::vector<TierIndex> SlowTiers(const std::vector<Move>& outs) {
  std::vector<TierIndex> tiers;
  tiers.reserve(outs.size());
  for (const Move& move : outs) tiers.push_back(move.to.tier);
  return tiers;
}

int64_t TightLimit(const Graph& graph) {
  const int64_t least_bytes =
      FindLeastLimit(graph, *PresetMemorySystem("gpu-pcie")).bytes;
  return least_bytes + least_bytes / 5;
}

TEST(DeepumTest, PrefetchesWhatTheNextKernelsUse) {
  const Graph graph = ChainGraph({.layers = 64});
  const Plan deepum = MakePlan(DeepumPolicy(), graph, "gpu-pcie", 32 * kMiB);
  const auto ahead = [](const Move& move) {
    return move.start_kernel < move.deadline_kernel;
  };
  const std::vector<Move> ins = Ins(deepum);
  EXPECT_TRUE(std::any_of(ins.begin(), ins.end(), ahead));
  const Plan lru = MakePlan(LruPolicy(), graph, "gpu-pcie", 32 * kMiB);
  EXPECT_LT(deepum.prediction.stall_ns, lru.prediction.stall_ns / 4);
}

TEST(DeepumTest, EvictsAheadOfNeed) {
  const std::vector<Move> outs = Outs(MakePlan(
      DeepumPolicy(), ChainGraph({.layers = 64}), "gpu-pcie", 32 * kMiB));
  ASSERT_THAT(outs, Not(IsEmpty()));
  for (const Move& move : outs) EXPECT_FALSE(move.synchronous());
}

TEST(VdnnTest, EachLayerWaitsForItsCopies) {
  const Plan plan = MakePlan(VdnnPolicy(), ChainGraph(), "gpu-pcie", 8 * kMiB);
  const std::vector<Move> outs = Outs(plan);
  // All feature maps that convolutions read leave, whether room is short or
  // not.
  ASSERT_EQ(outs.size(), 15u);
  for (const Move& move : outs) {
    // Each is copied while the layer above reads it, and gone as that layer
    // ends.
    EXPECT_EQ(move.start_kernel, move.tensor + 1);
    EXPECT_EQ(move.deadline_kernel, move.tensor + 2);
  }
  for (const Move& move : Ins(plan)) {
    // Each is back by the end of the layer before the one that needs it.
    EXPECT_LE(move.deadline_kernel, 31 - move.tensor);
    EXPECT_GE(move.start_kernel, 16);
  }
}

TEST(VdnnTest, OffloadsInputsOfConvolutionsAloneWhereThatIsEnough) {
  Graph graph = ChainGraph();
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    graph.kernels[k].name = graph.kernels[k].layer % 2 == 1 ? "Conv2d" : "relu";
  }
  const Plan plan = MakePlan(VdnnPolicy(), graph, "gpu-pcie", 13 * kMiB);
  for (const Move& move : Outs(plan)) EXPECT_EQ(move.tensor % 2, 0);
}

TEST(VdnnTest, OffloadsAllFeatureMapsOtherwise) {
  const Plan plan = MakePlan(VdnnPolicy(), ChainGraph({.name = "linear"}),
                             "gpu-pcie", 8 * kMiB);
  EXPECT_EQ(Outs(plan).size(), 15u);
}

TEST(FlashneuronTest, OffloadsFromTheFirstFeatureMapOnUntilTheRestFits) {
  const Plan plan =
      MakePlan(FlashneuronPolicy(), ChainGraph(), "g10-a100", 14 * kMiB);
  EXPECT_THAT(Tensors(Outs(plan)), ElementsAre(0, 1, 2));
}

TEST(FlashneuronTest, OffloadsToTheSsd) {
  const Plan plan =
      MakePlan(FlashneuronPolicy(), ChainGraph(), "g10-a100", 14 * kMiB);
  EXPECT_THAT(SlowTiers(Outs(plan)), Each(2));
}

TEST(FlashneuronTest, PrefetchesInTheBackwardPass) {
  const Plan plan =
      MakePlan(FlashneuronPolicy(), ChainGraph(), "g10-a100", 14 * kMiB);
  for (const Move& move : Ins(plan)) {
    EXPECT_GE(move.start_kernel, 16);
    EXPECT_FALSE(move.synchronous());
  }
}

TEST(FlashneuronTest, SaysWhenFeatureMapsAreNotEnough) {
  Graph graph = ChainGraph();
  // Weights of the first and last kernel that do not fit beside each other.
  for (KernelIndex k : {0, 31}) {
    graph.tensors.push_back({.size_bytes = 6 * kMiB, .persistent = true});
    graph.kernels[k].operands.push_back(
        {.tensor = graph.tensor_count() - 1, .read = true});
  }
  const Plan plan = MakePlan(FlashneuronPolicy(), graph, "g10-a100", 10 * kMiB);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("evicted for lack of room")));
}

TEST(CapuchinTest, SwapsTheTensorsWithTheLongestFreeTime) {
  // Free time is the longest for the first activations.
  const Plan plan =
      MakePlan(CapuchinPolicy(), ChainGraph(), "gpu-pcie", 14 * kMiB);
  EXPECT_THAT(Tensors(Outs(plan)), ElementsAre(0, 1, 2));
}

TEST(CapuchinTest, RecomputesWhatIsCheaperThanItsExposedCopies) {
  // Kernels of 1 us make a tensor faster than PCIe brings it back.
  const Plan plan =
      MakePlan(CapuchinPolicy(), ChainGraph({.layers = 8, .kernel_ns = 1000}),
               "gpu-pcie", 6 * kMiB);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("plans cannot compute again")));
}

TEST(CapuchinTest, RecomputesNothingThatHides) {
  const Plan plan =
      MakePlan(CapuchinPolicy(), ChainGraph(), "gpu-pcie", 14 * kMiB);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("would compute nothing again")));
}

TEST(SwapadvisorTest, FindsPlansThatWaitLessThanDemandPaging) {
  const Graph graph = TrainingStepGraph(6, 3);
  const int64_t limit = TightLimit(graph);
  const Plan lru = MakePlan(LruPolicy(), graph, "gpu-pcie", limit);
  ASSERT_THAT(lru.prediction.stall_ns, Gt(0));
  const Plan found = MakePlan(SwapadvisorPolicy(), graph, "gpu-pcie", limit);
  EXPECT_LT(found.prediction.stall_ns, lru.prediction.stall_ns);
}

TEST(SwapadvisorTest, TheSeedDecidesTheSearch) {
  const Graph graph = TrainingStepGraph(6, 3);
  const auto steps_of = [&](int64_t seed) {
    const Plan plan = MakePlan(SwapadvisorPolicy(), graph, "gpu-pcie",
                               TightLimit(graph), {.seed = seed});
    return Tensors(plan.moves);
  };
  EXPECT_EQ(steps_of(1), steps_of(1));
  int different = 0;
  for (int64_t seed = 2; seed < 6; ++seed) {
    different += steps_of(seed) != steps_of(1);
  }
  EXPECT_GT(different, 0);
}

TEST(SwapadvisorTest, SaysWhenTheTimeLimitEndedTheSearch) {
  const Plan plan = MakePlan(SwapadvisorPolicy(), ChainGraph(), "gpu-pcie",
                             8 * kMiB, {.time_limit = absl::Nanoseconds(1)});
  EXPECT_THAT(plan.notes, Contains(HasSubstr("ended the search")));
}

TEST(G10Test, UsesTheSsdWhileItsBandwidthSuffices) {
  const Plan plan = MakePlan(G10Policy(), ChainGraph(), "g10-a100", 14 * kMiB);
  ASSERT_THAT(Outs(plan), Not(IsEmpty()));
  EXPECT_THAT(SlowTiers(Outs(plan)), Each(2));
}

TEST(G10Test, UsesTheHostWhereTheSsdIsTooSlow) {
  // A copy to the SSD takes about 350 us, one to the host 67 us.
  const Plan plan = MakePlan(G10Policy(), ChainGraph({.kernel_ns = 150'000}),
                             "g10-a100", 6 * kMiB);
  EXPECT_THAT(SlowTiers(Outs(plan)), Contains(1));
}

TEST(G10Test, EvictsInTheInactivePeriodsThatRelieveMost) {
  const Plan plan = MakePlan(G10Policy(), ChainGraph(), "g10-a100", 14 * kMiB);
  EXPECT_THAT(Tensors(Outs(plan)), Contains(0));
  EXPECT_THAT(Tensors(Outs(plan)), Not(Contains(14)));
}

TEST(G10Test, PrefetchesAsSoonAsThereIsRoom) {
  const Graph graph = ChainGraph();
  const Plan g10 = MakePlan(G10Policy(), graph, "g10-a100", 14 * kMiB);
  const Plan just_in_time =
      MakePlan(CapuchinPolicy(), graph, "g10-a100", 14 * kMiB);
  std::map<TensorIndex, KernelIndex> starts;
  for (const Move& move : Ins(just_in_time)) {
    starts[move.tensor] = move.start_kernel;
  }
  for (const Move& move : Ins(g10)) {
    if (starts.contains(move.tensor)) {
      EXPECT_LE(move.start_kernel, starts[move.tensor]) << move.tensor;
    }
  }
  EXPECT_EQ(g10.prediction.stall_ns, 0);
}

}  // namespace
}  // namespace stowage::policies
