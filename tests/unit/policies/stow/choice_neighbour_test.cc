#include "policies/stow/choice_neighbour.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

bool Overlap(const Gap& a, const Gap& b, KernelIndex step) {
  for (const KernelIndex turn : {-step, 0, step}) {
    if (a.from < b.to + turn && b.from + turn < a.to) return true;
  }
  return false;
}

// A training step in little room, and what is chosen for it at first.
class NeighbourFinderTest : public testing::TestWithParam<const char*> {
 protected:
  NeighbourFinderTest()
      : graph_(TrainingStepGraph(12, 3)),
        system_(*PresetMemorySystem(GetParam())),
        workload_(*MakeWorkload(graph_, system_,
                                ComputeLiveness(graph_).peak_bytes / 4)),
        costs_(graph_, system_, workload_),
        choices_(FindAbsences(graph_, workload_, costs_)),
        excess_bytes_(
            ExcessBytes(costs_, std::vector<int64_t>(graph_.kernels.size() + 1,
                                                     workload_.arena_bytes))),
        prices_(CostsAt(choices_, LanePrices{})),
        lost_ns_(graph_.kernels.size() + 1, 1) {
    AbsenceSelector selector(graph_, choices_);
    chosen_ = selector.Select(prices_, excess_bytes_);
  }

  std::vector<int64_t> ExcessWith(const std::vector<Choice>& chosen) const {
    std::vector<int64_t> excess = excess_bytes_;
    for (const Choice& choice : chosen) {
      const Absence& absence = choices_.absences[choice.absence];
      for (KernelIndex b = absence.from; b < absence.to; ++b) {
        excess[b % excess.size()] -= absence.size_bytes;
      }
    }
    return excess;
  }

  void ExpectDisjoint(const std::vector<Choice>& chosen) const {
    for (size_t i = 0; i < chosen.size(); ++i) {
      const Gap& a = choices_.absences[chosen[i].absence].gap;
      for (size_t j = i + 1; j < chosen.size(); ++j) {
        const Gap& b = choices_.absences[chosen[j].absence].gap;
        if (a.tensor != b.tensor) continue;
        EXPECT_FALSE(Overlap(a, b, graph_.kernel_count() + 1)) << a.tensor;
      }
    }
  }

  const Graph graph_;
  const MemorySystem system_;
  const Workload workload_;
  const CostModel costs_;
  const AbsenceChoices choices_;
  const std::vector<int64_t> excess_bytes_;
  const std::vector<double> prices_;
  const std::vector<int64_t> lost_ns_;
  std::vector<Choice> chosen_;
};

TEST_P(NeighbourFinderTest, ChangesFitAndKeepWhatIsRequired) {
  NeighbourFinder finder(graph_, choices_);
  std::mt19937_64 random(7);
  std::set<std::vector<int>> seen;
  for (int i = 0; i < 200; ++i) {
    const auto changed =
        finder.Change(chosen_, prices_, excess_bytes_, lost_ns_, random);
    if (!changed.has_value()) continue;
    EXPECT_THAT(ExcessWith(*changed), testing::Each(testing::Le(0)));
    ExpectDisjoint(*changed);
    std::vector<int> taken;
    for (const Choice& choice : *changed) taken.push_back(choice.absence);
    for (size_t a = 0; a < choices_.required.size(); ++a) {
      if (!choices_.required[a]) continue;
      EXPECT_THAT(taken, testing::Contains(a));
    }
    seen.insert(taken);
  }
  EXPECT_GT(seen.size(), 20u);
}

TEST_P(NeighbourFinderTest, TakesNothingThatRoomDoesNotDemandButItsChanges) {
  NeighbourFinder finder(graph_, choices_);
  std::mt19937_64 random(7);
  const std::vector<int64_t> plenty(excess_bytes_.size(), -(int64_t{1} << 50));
  for (int i = 0; i < 50; ++i) {
    const auto changed =
        finder.Change(chosen_, prices_, plenty, lost_ns_, random);
    ASSERT_TRUE(changed.has_value());
    const auto required =
        std::count(choices_.required.begin(), choices_.required.end(), true);
    EXPECT_LE(changed->size(), static_cast<size_t>(required) + 3);
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, NeighbourFinderTest,
                         testing::Values("optane", "gpu-pcie", "file"));

}  // namespace
}  // namespace stowage
