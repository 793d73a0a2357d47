#include "policies/search/search.h"

#include <limits>
#include <utility>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

// Holds what a search of a step refers to, with a share of its peak as fast
// memory.
struct Step {
  Step(Graph step, const char* preset, int64_t share)
      : graph(std::move(step)),
        system(*PresetMemorySystem(preset)),
        workload(*MakeWorkload(graph, system,
                               ComputeLiveness(graph).peak_bytes / share)),
        costs(graph, system, workload),
        choices(FindAbsences(graph, workload, costs)) {}

  const Graph graph;
  const MemorySystem system;
  const Workload workload;
  const CostModel costs;
  const AbsenceChoices choices;
};

TEST(SearchTest, AnnealingFindsFasterPlansThatTheVerifierAccepts) {
  for (const char* name : {"optane", "cxl"}) {
    const Step step(TrainingStepGraph(6, 3), name, 10);
    Search search(step.costs, step.choices, {});
    search.Run();
    ASSERT_TRUE(search.best().ok()) << search.best().status();
    const int64_t before_ns = search.best()->prediction.step_time_ns;
    search.Anneal();
    EXPECT_LT(search.best()->prediction.step_time_ns, before_ns) << name;
    EXPECT_EQ(VerifyPlan(step.graph, step.system, *search.best()),
              absl::OkStatus());
  }
}

TEST(SearchTest, LongerAnnealingFindsNothingSlower) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const Step step(TrainingStepGraph(6, 3), name, 2);
    int64_t step_ns = std::numeric_limits<int64_t>::max();
    for (const int longer : {0, 2}) {
      Search search(step.costs, step.choices,
                    {.annealing = 200'000, .longer_annealings = longer});
      search.Run();
      search.Anneal();
      ASSERT_TRUE(search.best().ok()) << search.best().status();
      EXPECT_LE(search.best()->prediction.step_time_ns, step_ns) << name;
      step_ns = search.best()->prediction.step_time_ns;
    }
  }
}

// Room is spared at once: with more of the arena, the layout would leave out a
// residency, which would be used in a slower tier.
TEST(SearchTest, UsesNothingInASlowerTierWhereOneSelectionSpendsTheEffort) {
  const Step step(TrainingStepGraph(100, 3), "optane", 2);
  Search search(step.costs, step.choices, {.work = 1});
  search.Run();
  ASSERT_TRUE(search.best().ok()) << search.best().status();
  EXPECT_LT(search.WaitedShare(), 0.001);
  EXPECT_EQ(VerifyPlan(step.graph, step.system, *search.best()),
            absl::OkStatus());
}

}  // namespace
}  // namespace stowage::policies
