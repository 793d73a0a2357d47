#include "server/training/candidate.h"

#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

const policies::Graph& AGraph() {
  static const policies::Graph* graph =
      new policies::Graph(*policies::GraphFromProto(ChainGraph(4)));
  return *graph;
}

double Cost(double cost_priority, const policies::UnitPrices& prices,
            const policies::Prediction& candidate,
            const policies::Prediction& serving) {
  policies::DqnSettings settings;
  settings.cost_priority = cost_priority;
  return RelativeCost(AGraph(), settings, prices, candidate, serving);
}

constexpr policies::UnitPrices kPrices = {.fast_usd_per_gb = 20,
                                          .slow_usd_per_gb = 5};
constexpr policies::Prediction kServing = {
    .step_time_ns = 100, .fast_peak_bytes = 2 * kChainTensorBytes};
constexpr policies::Prediction kFasterButDearer = {
    .step_time_ns = 80, .fast_peak_bytes = 3 * kChainTensorBytes};

TEST(RelativeCostTest, ThePlanThatServesCostsOne) {
  EXPECT_DOUBLE_EQ(Cost(0.5, kPrices, kServing, kServing), 1);
}

TEST(RelativeCostTest, WithPriorityOneOnlyTimeCounts) {
  EXPECT_DOUBLE_EQ(Cost(1, kPrices, kFasterButDearer, kServing), 0.8);
}

TEST(RelativeCostTest, WithPriorityZeroOnlyThePriceCounts) {
  // 3 MiB fast, against 2 MiB fast and 1 MiB slow.
  EXPECT_DOUBLE_EQ(Cost(0, kPrices, kFasterButDearer, kServing), 60.0 / 45.0);
}

TEST(RelativeCostTest, WithoutPricesOnlyTimeCounts) {
  EXPECT_DOUBLE_EQ(Cost(0, {}, kFasterButDearer, kServing), 0.8);
}

}  // namespace
}  // namespace stowage
