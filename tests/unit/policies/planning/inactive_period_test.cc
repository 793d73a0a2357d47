#include "policies/planning/inactive_period.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

// Returning and leaving at one boundary is not leaving.
TEST(InactivePeriodTest, NoResidencyIsLeftBetweenPeriodsThatMeet) {
  Graph graph;
  graph.kernels.resize(6);
  graph.tensors = {{.size_bytes = 4096, .birth_kernel = 0, .death_kernel = 5}};
  const TakenPeriod first{.period = {.tensor = 0, .from = 1, .to = 3},
                          .leave = 1,
                          .left = 1,
                          .fetch = 3,
                          .back = 3};
  const TakenPeriod second{.period = {.tensor = 0, .from = 3, .to = 5},
                           .leave = 3,
                           .left = 3,
                           .fetch = 5,
                           .back = 5};
  const auto residencies = ResidenciesWithout(graph, {first, second});
  ASSERT_EQ(residencies.size(), 2);
  EXPECT_EQ(residencies[0].end, 1);
  EXPECT_EQ(residencies[1].begin, 5);
}

}  // namespace
}  // namespace stowage::policies
