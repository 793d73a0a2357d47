#include "policies/search/prices/absence_features.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/search/prices/planning_problem.h"

namespace stowage::policies {
namespace {

float At(const PriceFeatures& features, PriceFeature feature) {
  return features[static_cast<int>(feature)];
}

// Returns the graph with all copies and kernels taking `times` as long.
Graph Stretched(Graph graph, int64_t times) {
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns *= times;
    kernel.gap_ns *= times;
  }
  return graph;
}

TEST(AbsenceFeaturesTest, AreOfOrderOneForAllGraphsAndSystems) {
  for (const char* system : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const PlanningProblem problem(TrainingStepGraph(12, 4), system, 0.3);
    const AbsenceFeatures features(problem.costs, problem.choices);
    for (size_t a = 0; a < problem.choices.absences.size(); ++a) {
      for (const float value : features.Of(a)) {
        ASSERT_TRUE(std::isfinite(value));
        ASSERT_GE(value, 0);
        ASSERT_LE(value, 4);
      }
    }
  }
}

TEST(AbsenceFeaturesTest, DoNotDependOnTheUnitOfBytes) {
  Graph graph = TrainingStepGraph(8, 2);
  for (Tensor& tensor : graph.tensors) {
    tensor.size_bytes = (tensor.size_bytes + 4095) / 4096 * 4096;
  }
  Graph twice = Stretched(graph, 2);
  for (Tensor& tensor : twice.tensors) tensor.size_bytes *= 2;
  PlanningProblem one(graph, "redl", 0.4), two(twice, "redl", 0.4);
  const AbsenceFeatures features(one.costs, one.choices);
  const AbsenceFeatures larger(two.costs, two.choices);
  ASSERT_EQ(one.choices.absences.size(), two.choices.absences.size());
  for (size_t a = 0; a < one.choices.absences.size(); ++a) {
    const PriceFeatures expected = features.Of(a), actual = larger.Of(a);
    for (int f = 0; f < kPriceFeatureCount; ++f) {
      ASSERT_NEAR(expected[f], actual[f], 0.02) << "absence " << a << " " << f;
    }
  }
}

// Longer kernels change which absences are worth looking at; those that stay
// have more time for their copies.
TEST(AbsenceFeaturesTest, TellHowMuchTimeThereIsForCopies) {
  const PlanningProblem problem(TrainingStepGraph(8, 2), "file", 0.3);
  const PlanningProblem slower(Stretched(problem.graph, 10), "file", 0.3);
  const AbsenceFeatures features(problem.costs, problem.choices);
  const AbsenceFeatures patient(slower.costs, slower.choices);
  int compared = 0;
  for (size_t a = 0; a < problem.choices.absences.size(); ++a) {
    const Absence& one = problem.choices.absences[a];
    if (one.out_ns + one.in_ns == 0) continue;
    for (size_t b = 0; b < slower.choices.absences.size(); ++b) {
      const Absence& other = slower.choices.absences[b];
      if (one.period.tensor != other.period.tensor || one.from != other.from ||
          one.to != other.to || one.out_ns != other.out_ns ||
          one.in_ns != other.in_ns || one.to <= one.from) {
        continue;
      }
      ++compared;
      EXPECT_GT(At(patient.Of(b), PriceFeature::kSlack),
                At(features.Of(a), PriceFeature::kSlack));
      EXPECT_LT(At(patient.Of(b), PriceFeature::kCopies),
                At(features.Of(a), PriceFeature::kCopies));
    }
  }
  EXPECT_GT(compared, 10);
}

TEST(AbsenceFeaturesTest, KnowWhatBecameOfTheRoundBefore) {
  const PlanningProblem problem(TrainingStepGraph(8, 2), "file", 0.3);
  AbsenceFeatures features(problem.costs, problem.choices);
  int moving = 0;
  while (problem.choices.absences[moving].in_ns == 0) ++moving;
  const PriceFeatures before = features.Of(moving);
  EXPECT_EQ(At(before, PriceFeature::kObserved), 0);
  EXPECT_EQ(At(before, PriceFeature::kChosen), 0);

  MoveSchedule schedule;
  const size_t boundaries = problem.graph.kernels.size() + 1;
  schedule.room_wait_ns.assign(boundaries, 0);
  schedule.operand_wait_ns.assign(boundaries, 0);
  const KernelIndex to = problem.choices.absences[moving].to;
  schedule.operand_wait_ns[to % boundaries] = 1'000'000'000;
  schedule.step_ns = problem.costs.fast_boundary_ns().back() + 1'000'000'000;
  features.Observe({{moving, 0}}, schedule);
  const PriceFeatures after = features.Of(moving);
  EXPECT_EQ(At(after, PriceFeature::kObserved), 1);
  EXPECT_EQ(At(after, PriceFeature::kChosen), 1);
  EXPECT_GT(At(after, PriceFeature::kInLoad), 0);
  EXPECT_GT(At(after, PriceFeature::kOperandWait), 0);
  EXPECT_EQ(At(after, PriceFeature::kRoomWait), 0);
  EXPECT_GT(At(after, PriceFeature::kWaited), 0);

  features.Forget();
  EXPECT_EQ(features.Of(moving), before);
}

}  // namespace
}  // namespace stowage::policies
