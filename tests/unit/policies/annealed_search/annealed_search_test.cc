#include "policies/annealed_search/annealed_search.h"

#include <functional>
#include <set>
#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/plan/plan_proto.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/search/rivals.h"
#include "policies/search/search_plan.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

const Policy& Searcher() {
  static const auto* policy = MakePolicy("annealed-search")->release();
  return *policy;
}

absl::StatusOr<Plan> PlanOf(const Graph& graph, const MemorySystem& system,
                            int64_t limit_bytes) {
  return Searcher().MakePlan(graph, system, {.fast_limit_bytes = limit_bytes});
}

TEST(AnnealedSearchTest, PlansOfRandomGraphsPassTheVerifier) {
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      const int64_t peak = ComputeLiveness(graph).peak_bytes;
      for (const double share : {0.0, 0.15, 0.4}) {
        const auto limit = least + static_cast<int64_t>(share * peak);
        const auto plan = PlanOf(graph, system, limit);
        ASSERT_TRUE(plan.ok()) << name << seed << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " share " << share;
      }
    }
  }
}

TEST(AnnealedSearchTest, IsNoSlowerThanThePlannersItWeighs) {
  const Graph graph = TrainingStepGraph(30, 3);
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (const double ratio : {0.25}) {
      const auto limit =
          static_cast<int64_t>(ratio * ComputeLiveness(graph).peak_bytes);
      const auto searched = PlanOf(graph, system, limit);
      ASSERT_TRUE(searched.ok()) << searched.status();
      for (const char* other : {"belady", "g10"}) {
        const auto plan =
            (*MakePolicy(other))
                ->MakePlan(graph, system, {.fast_limit_bytes = limit});
        ASSERT_TRUE(plan.ok()) << plan.status();
        EXPECT_LE(searched->prediction.step_time_ns,
                  1.001 * plan->prediction.step_time_ns)
            << name << " " << ratio << " " << other;
      }
    }
  }
}

// Three residencies find no address; giving up room for them takes 1.25 times
// the bound.
TEST(AnnealedSearchTest, UsesInPlaceWhatFindsNoAddress) {
  const Graph graph = RandomGraph(16);
  const MemorySystem optane = *PresetMemorySystem("optane");
  const int64_t limit = ComputeLiveness(graph).peak_bytes * 15 / 100;
  const auto plan = PlanOf(graph, optane, limit);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, optane, *plan), absl::OkStatus());
  EXPECT_LT(plan->prediction.step_time_ns,
            1.235 * LowerBoundNs(graph, optane, limit));
}

// The plan is also the same with a thread to spare.
TEST(AnnealedSearchTest, MakesTheSamePlanTwice) {
  const Graph graph = TrainingStepGraph(20, 5);
  const MemorySystem file = *PresetMemorySystem("file");
  PlanOptions options{.fast_limit_bytes =
                          ComputeLiveness(graph).peak_bytes / 5};
  const auto first = Searcher().MakePlan(graph, file, options);
  int called = 0;
  options.call_both = [&called](const auto& one, const auto& other) {
    ++called;
    std::thread thread(other);
    one();
    thread.join();
  };
  const auto second = Searcher().MakePlan(graph, file, options);
  EXPECT_EQ(called, 1);
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->moves.size(), second->moves.size());
  for (size_t m = 0; m < first->moves.size(); ++m) {
    EXPECT_EQ(first->moves[m].tensor, second->moves[m].tensor);
    EXPECT_EQ(first->moves[m].to, second->moves[m].to);
    EXPECT_EQ(first->moves[m].start_kernel, second->moves[m].start_kernel);
    EXPECT_EQ(first->moves[m].deadline_kernel,
              second->moves[m].deadline_kernel);
  }
}

// The plan is executed with kernels a quarter faster or slower.
TEST(AnnealedSearchTest, PlansDegradeNoFasterThanKernelTimes) {
  Graph graph = TrainingStepGraph(30, 3);
  const MemorySystem file = *PresetMemorySystem("file");
  const auto plan = PlanOf(graph, file, ComputeLiveness(graph).peak_bytes / 4);
  ASSERT_TRUE(plan.ok()) << plan.status();
  int64_t bit = 0;
  for (Kernel& kernel : graph.kernels) {
    int64_t& ns = kernel.profile.fast_inputs_fast_outputs.duration_ns;
    ns += (++bit % 2 == 0 ? 1 : -1) * ns / 4;
  }
  const auto perturbed = Simulate(graph, file, *plan);
  ASSERT_TRUE(perturbed.ok());
  EXPECT_LT(perturbed->prediction.step_time_ns,
            1.25 * plan->prediction.step_time_ns);
}

// One of two operands fits. The one that is only read is left slow, although it
// is the smaller one.
TEST(AnnealedSearchTest, ChoosesTheOperandsThatKernelsUseInPlace) {
  constexpr int64_t kMiB = int64_t{1} << 20;
  Graph graph;
  graph.tensors = {{.size_bytes = 100 * kMiB, .persistent = true},
                   {.size_bytes = 90 * kMiB, .persistent = true}};
  graph.kernels.resize(2);
  for (Kernel& kernel : graph.kernels) {
    kernel.name = "aten::add_.Tensor";
    kernel.operands = {{.tensor = 0, .read = true, .write = true},
                       {.tensor = 1, .read = true}};
    kernel.profile.fast_inputs_fast_outputs = {10'000'000,
                                               DurationSource::kMeasured};
  }
  const auto plan = PlanOf(graph, *PresetMemorySystem("optane"), 120 * kMiB);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_THAT(plan->moves, testing::IsEmpty());
  EXPECT_EQ(plan->initial[0].at.tier, kFastTier);
  EXPECT_EQ(plan->initial[1].at.tier, 1);
}

// The notes are the same whoever made the plan that is taken over.
TEST(AnnealedSearchTest, SaysOnceThatTimesAreDerivedAndNothingOfOtherPlanners) {
  const MemorySystem system = *PresetMemorySystem("optane");
  const Graph graph = TrainingStepGraph(8, 1);
  const PlanOptions options{.fast_limit_bytes =
                                ComputeLiveness(graph).peak_bytes / 4};
  const auto sentinel =
      (*MakePolicy("sentinel"))->MakePlan(graph, system, options);
  ASSERT_GT(sentinel->notes.size(), 1u);
  const std::function<void(Search&)> take_over[] = {
      [&](Search& search) {
        ConsiderRivals(MakeRivals(), graph, system, options, search);
      },
      [&](Search& search) {
        search.Consider(
            *(*MakePolicy("learned-prices"))->MakePlan(graph, system, options));
      }};
  for (const auto& run : take_over) {
    const auto plan =
        PlanBySearching(graph, system, options, "annealed-search",
                        [&](const CostModel&, const AbsenceChoices&,
                            Search& search) { run(search); });
    ASSERT_TRUE(plan.ok()) << plan.status();
    EXPECT_THAT(plan->notes,
                testing::ElementsAre(testing::HasSubstr("are derived")));
  }
}

TEST(AnnealedSearchTest, DrawsOtherNumbersWithAnotherSeed) {
  const MemorySystem system = *PresetMemorySystem("file");
  const Graph graph = TrainingStepGraph(12, 1);
  PlanOptions options{.fast_limit_bytes =
                          ComputeLiveness(graph).peak_bytes / 3};
  std::set<std::string> plans;
  for (options.seed = 0; options.seed < 2; ++options.seed) {
    const auto plan = Searcher().MakePlan(graph, system, options);
    ASSERT_TRUE(plan.ok()) << plan.status();
    plans.insert(PlanToProto(*plan).SerializeAsString());
  }
  EXPECT_GT(plans.size(), 1u);
}

TEST(AnnealedSearchTest, SaysThatTheTimeLimitEndedTheSearch) {
  const Graph graph = TrainingStepGraph(20, 5);
  const MemorySystem file = *PresetMemorySystem("file");
  const auto plan = Searcher().MakePlan(
      graph, file,
      {.fast_limit_bytes = ComputeLiveness(graph).peak_bytes / 5,
       .time_limit = absl::Nanoseconds(1)});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, file, *plan), absl::OkStatus());
  EXPECT_THAT(plan->notes, testing::Contains(testing::HasSubstr("time limit")));
}

TEST(AnnealedSearchTest, SendsWhatDoesNotFitIntoTheSecondTierToTheThird) {
  const Graph graph = TrainingStepGraph(30, 3);
  MemorySystem system = *PresetMemorySystem("g10-a100");
  const int64_t peak = ComputeLiveness(graph).peak_bytes;
  system.tiers[1].capacity_bytes = peak / 3;
  const auto plan = PlanOf(graph, system, peak / 4);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus());
  EXPECT_THAT(plan->moves,
              testing::Contains(testing::Field(
                  &Move::to, testing::Field(&Placement::tier, 2))));
}

}  // namespace
}  // namespace stowage::policies
