#include "policies/stow/search.h"

#include <limits>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/verifier.h"
#include "policies/planning/workload.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

// With a tenth of the peak of a small step as fast memory.
void ExpectFasterVerifiedPlans(void (Search::*improve)()) {
  const Graph graph = TrainingStepGraph(6, 3);
  for (const char* name : {"optane", "cxl"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const Workload workload =
        *MakeWorkload(graph, system, ComputeLiveness(graph).peak_bytes / 10);
    const CostModel costs(graph, system, workload);
    const AbsenceChoices choices = FindAbsences(graph, workload, costs);
    Search search(costs, choices, {});
    search.Run();
    ASSERT_TRUE(search.best().ok()) << search.best().status();
    const int64_t before_ns = search.best()->prediction.step_time_ns;
    (search.*improve)();
    EXPECT_LT(search.best()->prediction.step_time_ns, before_ns) << name;
    EXPECT_EQ(VerifyPlan(graph, system, *search.best()), absl::OkStatus());
  }
}

TEST(SearchTest, AnnealingFindsFasterPlansThatTheVerifierAccepts) {
  ExpectFasterVerifiedPlans(&Search::Anneal);
}

TEST(SearchTest, LongerAnnealingFindsNothingSlower) {
  const Graph graph = TrainingStepGraph(6, 3);
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const Workload workload =
        *MakeWorkload(graph, system, ComputeLiveness(graph).peak_bytes / 2);
    const CostModel costs(graph, system, workload);
    const AbsenceChoices choices = FindAbsences(graph, workload, costs);
    int64_t step_ns = std::numeric_limits<int64_t>::max();
    for (const int longer : {0, 2}) {
      Search search(costs, choices,
                    {.annealing = 200'000, .longer_annealings = longer});
      search.Run();
      search.Anneal();
      ASSERT_TRUE(search.best().ok()) << search.best().status();
      EXPECT_LE(search.best()->prediction.step_time_ns, step_ns) << name;
      step_ns = search.best()->prediction.step_time_ns;
    }
  }
}

// Room is spared at once: with more of the arena the layout would leave something
// out, which would be used in a slower tier.
TEST(SearchTest, UsesNothingInASlowerTierWhereOneSelectionSpendsTheEffort) {
  const Graph graph = TrainingStepGraph(100, 3);
  const MemorySystem system = *PresetMemorySystem("optane");
  const Workload workload =
      *MakeWorkload(graph, system, ComputeLiveness(graph).peak_bytes / 2);
  const CostModel costs(graph, system, workload);
  const AbsenceChoices choices = FindAbsences(graph, workload, costs);
  Search search(costs, choices, {.work = 1});
  search.Run();
  ASSERT_TRUE(search.best().ok()) << search.best().status();
  EXPECT_LT(search.WaitedShare(), 0.001);
  EXPECT_EQ(VerifyPlan(graph, system, *search.best()), absl::OkStatus());
}

}  // namespace
}  // namespace stowage
