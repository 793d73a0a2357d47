#include "policies/search/annealing/residency_places.h"

#include <algorithm>
#include <random>
#include <utility>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/plan_residencies.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

std::vector<Residency> JoinedPlaces(const ResidenciesByTensor& residencies) {
  std::vector<Residency> joined;
  for (const auto& some : residencies) {
    joined.insert(joined.end(), some.begin(), some.end());
  }
  return joined;
}

// Returns residencies of all tensors, all of them fast, in a layout that
// BuildPlan finds for the limit.
ResidenciesByTensor PlacedResidencies(const Graph& graph,
                                      const MemorySystem& system,
                                      int64_t limit_bytes) {
  const BuildInput input{.residencies = AllFastResidencies(graph),
                         .fast_limit_bytes = limit_bytes};
  const auto plan = BuildPlan(graph, system, input);
  EXPECT_TRUE(plan.ok()) << plan.status();
  const BuildInput placed = *BuildInputOf(graph, *plan);
  ResidenciesByTensor residencies(graph.tensors.size());
  for (const Residency& residency : placed.residencies) {
    residencies[residency.tensor].push_back(residency);
  }
  return residencies;
}

absl::Status Verify(const Graph& graph, const MemorySystem& system,
                    int64_t limit_bytes,
                    const ResidenciesByTensor& residencies) {
  const auto plan = BuildPlan(graph, system,
                              {.residencies = JoinedPlaces(residencies),
                               .fast_limit_bytes = limit_bytes});
  if (!plan.ok()) return plan.status();
  return VerifyPlan(graph, system, *plan);
}

bool SameOffsets(const ResidenciesByTensor& a, const ResidenciesByTensor& b) {
  for (size_t t = 0; t < a.size(); ++t) {
    if (a[t].size() != b[t].size()) return false;
    for (size_t s = 0; s < a[t].size(); ++s) {
      if (a[t][s].offset_bytes != b[t][s].offset_bytes ||
          a[t][s].begin != b[t][s].begin || a[t][s].end != b[t][s].end) {
        return false;
      }
    }
  }
  return true;
}

// Draws changes of up to three tensors; the verifier accepts all that find
// places. Returns how many found none.
int ReplaceAtRandom(const Graph& graph, const MemorySystem& system,
                    uint64_t seed, const ResidencyPlaces::Effort& effort) {
  const int64_t limit_bytes = AllFastBytes(graph) + 4 * kPage;
  const ResidencyNeighbour neighbour(graph, system.tiers[1].addressable, {});
  ResidencyPlaces places(graph,
                         ArenaBytes(graph, {.fast_limit_bytes = limit_bytes}),
                         PlacedResidencies(graph, system, limit_bytes));
  std::mt19937_64 random(seed);
  int failed = 0;
  for (int n = 0; n < 150; ++n) {
    ResidenciesByTensor residencies = places.residencies();
    std::vector<TensorIndex> changed;
    for (uint64_t i = 0; i <= random() % 3; ++i) {
      auto change = neighbour.Change(random, residencies);
      if (!change.has_value() ||
          std::count(changed.begin(), changed.end(), change->tensor) > 0) {
        continue;
      }
      changed.push_back(change->tensor);
      residencies[change->tensor] = std::move(change->residencies);
    }
    const ResidenciesByTensor before = places.residencies();
    if (places.Replace(changed, residencies, effort)) {
      EXPECT_EQ(Verify(graph, system, limit_bytes, places.residencies()),
                absl::OkStatus())
          << system.name << " seed " << seed << " change " << n;
    } else {
      ++failed;
      EXPECT_TRUE(SameOffsets(places.residencies(), before));
    }
  }
  return failed;
}

TEST(ResidencyPlacesTest, GivesPlacesThatTheVerifierAccepts) {
  int failed = 0, failed_with_more_effort = 0;
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = RandomGraph(seed);
      failed += ReplaceAtRandom(graph, system, seed, {.obstacles = 1000});
      failed_with_more_effort += ReplaceAtRandom(
          graph, system, seed, {.displaced = 4, .obstacles = 1000});
    }
  }
  EXPECT_GT(failed, 0);
  EXPECT_LT(failed_with_more_effort, failed);
}

// Has an arena of four pages, with tensor 0 at the bottom and 1 in the middle.
class SmallArenaTest : public testing::Test {
 protected:
  SmallArenaTest() {
    graph_.kernels.resize(9);
    graph_.tensors = {{.size_bytes = kPage, .persistent = true},
                      {.size_bytes = kPage, .persistent = true},
                      {.size_bytes = 2 * kPage, .persistent = true}};
    residencies_ = {{FastFor(0, 2, 8, 0)}, {FastFor(1, 4, 6, 2 * kPage)}, {}};
  }

  static Residency FastFor(TensorIndex t, KernelIndex begin, KernelIndex end,
                           int64_t offset_bytes = -1) {
    return {.tensor = t,
            .begin = begin,
            .ready = begin + 1,
            .leave = end - 1,
            .end = end,
            .moved_in = true,
            .moved_out = true,
            .offset_bytes = offset_bytes};
  }

  Graph graph_;
  ResidenciesByTensor residencies_;
};

TEST_F(SmallArenaTest, MakesRoomByMovingWhatIsInTheWay) {
  ResidencyPlaces places(graph_, 4 * kPage, residencies_);
  ResidenciesByTensor wanted = residencies_;
  wanted[2] = {FastFor(2, 3, 5)};
  EXPECT_FALSE(places.Replace({2}, wanted, {.obstacles = 10}));
  EXPECT_TRUE(places.residencies()[2].empty());
  ASSERT_TRUE(places.Replace({2}, wanted, {.displaced = 1, .obstacles = 10}));
  EXPECT_EQ(places.touched(), (std::vector<TensorIndex>{2, 0}));
  EXPECT_EQ(places.residencies()[2][0].offset_bytes, 0);
  EXPECT_EQ(places.residencies()[0][0].offset_bytes, 3 * kPage);
}

TEST_F(SmallArenaTest, ReturnsToWhatWasBefore) {
  ResidencyPlaces places(graph_, 4 * kPage, residencies_);
  ResidenciesByTensor wanted = residencies_;
  wanted[2] = {FastFor(2, 3, 5)};
  ASSERT_TRUE(places.Replace({2}, wanted, {.displaced = 1, .obstacles = 10}));
  places.Return({{2, {}}, {0, residencies_[0]}});
  EXPECT_TRUE(SameOffsets(places.residencies(), residencies_));
  wanted[2][0].offset_bytes = kPage;
  EXPECT_FALSE(places.Replace({2}, wanted, {.obstacles = 10}));
}

TEST_F(SmallArenaTest, StaysWhereItWasWhenItGrows) {
  ResidencyPlaces places(graph_, 4 * kPage, residencies_);
  ResidenciesByTensor wanted = places.residencies();
  wanted[1] = {FastFor(1, 1, 9, 2 * kPage)};
  ASSERT_TRUE(places.Replace({1}, wanted, {.obstacles = 10}));
  EXPECT_EQ(places.residencies()[1][0].offset_bytes, 2 * kPage);
}

TEST_F(SmallArenaTest, TakesTheRoomOfWhatGivesWay) {
  ResidencyPlaces places(graph_, 2 * kPage, {{FastFor(0, 2, 8, 0)}, {}, {}});
  ResidenciesByTensor wanted = {{FastFor(0, 5, 8, 0)}, {}, {FastFor(2, 3, 5)}};
  EXPECT_FALSE(places.Replace({2}, wanted, {.obstacles = 10}));
  EXPECT_TRUE(places.Replace({2, 0}, wanted, {.obstacles = 10}));
}

TEST_F(SmallArenaTest, IsInOnePlaceAcrossTheEndOfTheStep) {
  ResidencyPlaces places(graph_, 2 * kPage, {{}, {FastFor(1, 4, 6, 0)}, {}});
  ResidenciesByTensor wanted = places.residencies();
  Residency first = FastFor(0, 0, 5), last = FastFor(0, 7, 10);
  first.moved_in = last.moved_out = false;
  wanted[0] = {first, last};
  ASSERT_TRUE(places.Replace({0}, wanted, {.obstacles = 10}));
  EXPECT_EQ(places.residencies()[0][0].offset_bytes, kPage);
  EXPECT_EQ(places.residencies()[0][1].offset_bytes, kPage);
}

TEST_F(SmallArenaTest, GivesUpWhereTooMuchIsInTheWay) {
  ResidencyPlaces places(graph_, 4 * kPage, residencies_);
  ResidenciesByTensor wanted = residencies_;
  wanted[2] = {FastFor(2, 7, 9)};
  EXPECT_FALSE(places.Replace({2}, wanted, {.obstacles = 0}));
  EXPECT_TRUE(places.Replace({2}, wanted, {.obstacles = 1}));
}

}  // namespace
}  // namespace stowage::policies
