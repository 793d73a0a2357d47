#include "policies/baselines/ial.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns tensors of 1 MiB that persist; kernel k reads order[k].
Graph Reads(int tensors, const std::vector<TensorIndex>& order) {
  Graph graph;
  graph.name = "reads";
  graph.tensors.assign(tensors, {.size_bytes = kMiB, .persistent = true});
  for (TensorIndex t : order) {
    Kernel kernel{.name = "read"};
    kernel.operands = {{.tensor = t, .read = true}};
    kernel.profile.fast_inputs_fast_outputs = {10'000'000,
                                               DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  return graph;
}

Plan MakePlan(const Graph& graph, std::string_view preset,
              int64_t limit_bytes) {
  const MemorySystem system = *PresetMemorySystem(preset);
  const absl::StatusOr<Plan> plan =
      IalPolicy().MakePlan(graph, system, {.fast_limit_bytes = limit_bytes});
  EXPECT_TRUE(plan.ok()) << plan.status();
  if (!plan.ok()) return {};
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  return *plan;
}

TEST(IalTest, PromotesWhatIsUsedTwice) {
  const Plan plan = MakePlan(Reads(3, {0, 0, 0, 0, 1, 2}), "optane", 2 * kMiB);
  std::vector<TensorIndex> promoted;
  for (const Move& move : plan.moves) {
    if (move.to.tier == kFastTier) promoted.push_back(move.tensor);
  }
  for (const Allocation& initial : plan.initial) {
    if (initial.at.tier == kFastTier) promoted.push_back(initial.tensor);
  }
  EXPECT_THAT(promoted, Contains(0));
}

TEST(IalTest, LeavesWhatIsUsedOnceWhereItIs) {
  const Plan plan = MakePlan(Reads(3, {0, 1, 2}), "optane", 2 * kMiB);
  EXPECT_THAT(plan.moves, IsEmpty());
  EXPECT_EQ(plan.prediction.locality, 0);
}

TEST(IalTest, NewPagesGoToTheFastTierWhileItHasRoom) {
  Graph graph = Reads(0, {});
  for (KernelIndex k = 0; k < 4; ++k) {
    graph.tensors.push_back(
        {.size_bytes = kMiB, .birth_kernel = k, .death_kernel = 3});
    Kernel kernel{.name = "write"};
    kernel.operands = {{.tensor = k, .write = true}};
    kernel.profile.fast_inputs_fast_outputs = {1'000'000,
                                               DurationSource::kMeasured};
    graph.kernels.push_back(kernel);
  }
  const Plan plan = MakePlan(graph, "optane", 3 * kMiB);
  std::vector<TierIndex> tiers;
  for (const Allocation& birth : plan.allocations) {
    tiers.push_back(birth.at.tier);
  }
  EXPECT_THAT(tiers, testing::ElementsAre(0, 0, 0, 1));
}

TEST(IalTest, FetchesWhatAKernelUsesWhereTheSlowTierIsNotAddressable) {
  const Plan plan = MakePlan(Reads(4, {0, 1, 2, 3}), "gpu-pcie", 3 * kMiB);
  EXPECT_EQ(plan.prediction.locality, 1);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("fetched for it")));
}

TEST(IalTest, FirstInGoesFirstHoweverMuchItIsUsed) {
  // Tensor 0 comes first and is used all the time; it makes room for 2.
  const Plan plan =
      MakePlan(Reads(3, {0, 1, 0, 0, 2, 0}), "gpu-pcie", 2 * kMiB);
  std::vector<TensorIndex> evicted;
  for (const Move& move : plan.moves) {
    if (move.from.tier == kFastTier) evicted.push_back(move.tensor);
  }
  EXPECT_THAT(evicted, Contains(0));
}

TEST(IalTest, SaysWhichTimesWereDerived) {
  const Plan plan = MakePlan(Reads(3, {0, 1, 2}), "optane", 2 * kMiB);
  EXPECT_THAT(plan.notes, Contains(HasSubstr("derived")));
}

}  // namespace
}  // namespace stowage::policies
