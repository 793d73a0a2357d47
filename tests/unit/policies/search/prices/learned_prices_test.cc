#include "policies/search/prices/learned_prices.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/search/search.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/search/prices/planning_problem.h"

namespace stowage::policies {
namespace {

TEST(LearnedPricesTest, ArePlainWithoutWeights) {
  const PlanningProblem problem(TrainingStepGraph(10, 1), "optane", 0.3);
  const PriceNetwork zero{.weights =
                              std::vector<float>(PriceNetwork::WeightCount(0))};
  LearnedPrices prices(problem.costs, problem.choices, zero);
  EXPECT_EQ(prices.Price({}, nullptr), CostsAt(problem.choices, LanePrices()));
}

TEST(LearnedPricesTest, MultiplyWhatEachPartOfAnAbsenceTakes) {
  const PlanningProblem problem(TrainingStepGraph(10, 1), "optane", 0.3);
  PriceNetwork network{.weights =
                           std::vector<float>(PriceNetwork::WeightCount(0))};
  network.weights[2 * (1 + kPriceFeatureCount)] = 1;  // bias of slow use
  LearnedPrices prices(problem.costs, problem.choices, network);
  const std::vector<double> priced = prices.Price({}, nullptr);
  const std::vector<double> expected =
      CostsAt(problem.choices, {.kernel = 2.718281828459045});
  ASSERT_EQ(priced.size(), expected.size());
  for (size_t a = 0; a < priced.size(); ++a) {
    ASSERT_NEAR(priced[a], expected[a], 1e-9 * expected[a]);
  }
}

TEST(LearnedPricesTest, ForgetTheRoundBeforeWhenAStartBegins) {
  const PlanningProblem problem(TrainingStepGraph(10, 1), "file", 0.3);
  PriceNetwork network{.weights =
                           std::vector<float>(PriceNetwork::WeightCount(0))};
  network.weights[1 + static_cast<int>(PriceFeature::kObserved)] = 1;
  LearnedPrices prices(problem.costs, problem.choices, network);
  const std::vector<double> first = prices.Price({}, nullptr);
  MoveSchedule schedule;
  const size_t boundaries = problem.graph.kernels.size() + 1;
  schedule.room_wait_ns.assign(boundaries, 0);
  schedule.operand_wait_ns.assign(boundaries, 0);
  EXPECT_NE(prices.Price({}, &schedule), first);
  EXPECT_EQ(prices.Price({}, nullptr), first);
}

TEST(LearnedPricesTest, LeadTheSearch) {
  const PlanningProblem problem(TrainingStepGraph(20, 5), "optane", 0.75);
  Search search(problem.costs, problem.choices, SearchEffort());
  const auto step_ns_at = [&](float logarithm_of_slow_use) {
    PriceNetwork network{.weights =
                             std::vector<float>(PriceNetwork::WeightCount(0))};
    network.weights[2 * (1 + kPriceFeatureCount)] = logarithm_of_slow_use;
    LearnedPrices prices(problem.costs, problem.choices, network);
    return search.EstimateStepNs([&](const auto& chosen, const auto* schedule) {
      return prices.Price(chosen, schedule);
    });
  };
  EXPECT_LT(step_ns_at(5), step_ns_at(-5));
}

}  // namespace
}  // namespace stowage::policies
