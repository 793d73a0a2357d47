#include "policies/bound/room_measures.h"

#include <numeric>
#include <random>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

Graph TensorsOf(const std::vector<int64_t>& pages) {
  Graph graph;
  for (const int64_t count : pages) {
    graph.tensors.push_back({.size_bytes = 4096 * count, .persistent = true});
  }
  graph.kernels.resize(1);
  return graph;
}

KernelRoom RoomOf(int64_t pages) {
  return {.limit_bytes = 4096 * pages,
          .free_bytes = {4096 * pages, 4096 * pages},
          .fillable_bytes = {4096 * pages, 4096 * pages}};
}

TEST(RoomMeasuresTest, TwoOfThreeTensorsThatExceedAThirdOfTheRoomFit) {
  const RoomMeasures measures =
      MakeRoomMeasures(TensorsOf({35, 35, 35}), RoomOf(100), {0});
  ASSERT_EQ(measures.sizes.size(), 1);
  EXPECT_EQ(measures.there[2], 2);     // m = 2
  EXPECT_EQ(measures.taken[0][2], 1);  // each of three
}

TEST(RoomMeasuresTest, SmallTensorsCountForNothing) {
  const RoomMeasures measures =
      MakeRoomMeasures(TensorsOf({5, 5}), RoomOf(100), {0});
  EXPECT_TRUE(measures.sizes.empty());
  EXPECT_EQ(measures.size_of[0], -1);
}

// Measures are valid if every set that fits by bytes fits by every count.
TEST(RoomMeasuresTest, EverySetThatFitsFitsByEveryMeasure) {
  std::mt19937_64 engine(7);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int64_t> pages;
    pages.reserve(8);
    for (int i = 0; i < 8; ++i) pages.push_back(1 + engine() % 60);
    const int64_t room_pages = 60 + engine() % 60;
    const Graph graph = TensorsOf(pages);
    const RoomMeasures measures =
        MakeRoomMeasures(graph, RoomOf(room_pages), {0});
    for (int set = 0; set < 1 << 8; ++set) {
      int64_t held = 0;
      std::vector<double> taken(kRoomMeasures);
      for (int t = 0; t < 8; ++t) {
        if ((set >> t & 1) == 0) continue;
        held += pages[t];
        for (int m = 1; m < kRoomMeasures && measures.size_of[t] >= 0; ++m) {
          taken[m] += measures.taken[measures.size_of[t]][m];
        }
      }
      if (held > room_pages) continue;
      for (int m = 1; m < kRoomMeasures; ++m) {
        ASSERT_LE(taken[m], measures.there[m]);
      }
    }
  }
}

}  // namespace
}  // namespace stowage::policies
