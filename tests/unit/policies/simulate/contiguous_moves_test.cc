#include "policies/simulate/contiguous_moves.h"

#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a step with tensors of one page and a half, one page, and two of 100
// bytes.
Graph FourTensors() {
  Graph graph;
  for (const int64_t bytes :
       {kPage + kPage / 2, kPage, int64_t{100}, int64_t{100}}) {
    graph.tensors.push_back({.size_bytes = bytes, .persistent = true});
  }
  return graph;
}

Move MoveOut(TensorIndex tensor, int64_t from, int64_t to) {
  return {tensor, {0, from}, {1, to}, 3, 5};
}

TEST(ContiguousMovesTest, ContinueOnTheNextPageInBothTiers) {
  const Graph graph = FourTensors();
  EXPECT_TRUE(Continues(graph, MoveOut(0, 0, 8 * kPage),
                        MoveOut(1, 2 * kPage, 10 * kPage)));
  EXPECT_FALSE(Continues(graph, MoveOut(0, 0, 8 * kPage),
                         MoveOut(1, 3 * kPage, 11 * kPage)));
  EXPECT_FALSE(Continues(graph, MoveOut(0, 0, 8 * kPage),
                         MoveOut(1, 2 * kPage, 12 * kPage)));
  EXPECT_FALSE(Continues(graph, MoveOut(1, 2 * kPage, 10 * kPage),
                         MoveOut(0, 0, 8 * kPage)));
}

TEST(ContiguousMovesTest, ContinueWithinASharedPageAndOnTheNextOne) {
  const Graph graph = FourTensors();
  const Move first = MoveOut(2, 0, 8 * kPage);
  EXPECT_TRUE(Continues(graph, first, MoveOut(3, 128, 8 * kPage + 128)));
  EXPECT_TRUE(Continues(graph, first, MoveOut(1, kPage, 9 * kPage)));
  EXPECT_FALSE(Continues(graph, first, MoveOut(3, 128, 8 * kPage + 256)));
}

TEST(ContiguousMovesTest, HaveTheSameBoundariesAndTiers) {
  const Graph graph = FourTensors();
  const Move first = MoveOut(1, 0, 0);
  const Move good = MoveOut(0, kPage, kPage);
  ASSERT_TRUE(Continues(graph, first, good));
  Move later = good;
  later.start_kernel = 4;
  EXPECT_FALSE(Continues(graph, first, later));
  Move sooner = good;
  sooner.deadline_kernel = 4;
  EXPECT_FALSE(Continues(graph, first, sooner));
  Move farther = good;
  farther.to.tier = 2;
  EXPECT_FALSE(Continues(graph, first, farther));
  Move within_first = first;
  Move within = good;
  within_first.to.tier = within.to.tier = 0;
  EXPECT_FALSE(Continues(graph, within_first, within));
}

TEST(ContiguousMovesTest, AreNoDrops) {
  const Graph graph = FourTensors();
  const Move first = MoveOut(1, 0, 0);
  const Move second = MoveOut(0, kPage, kPage);
  Move dropped_first = first, dropped_second = second;
  dropped_first.is_drop = dropped_second.is_drop = true;
  EXPECT_FALSE(Continues(graph, dropped_first, second));
  EXPECT_FALSE(Continues(graph, first, dropped_second));
  EXPECT_FALSE(Continues(graph, dropped_first, dropped_second));
}

TEST(ContiguousMovesTest, RunUntilTheFirstThatIsNoNeighbour) {
  const Graph graph = FourTensors();
  const std::vector<Move> moves = {MoveOut(1, 0, 0), MoveOut(0, kPage, kPage),
                                   MoveOut(2, 3 * kPage, 3 * kPage),
                                   MoveOut(3, 5 * kPage, 5 * kPage)};
  EXPECT_EQ(ContiguousRunEnd(graph, moves, 0), 3);
  EXPECT_EQ(ContiguousRunEnd(graph, moves, 1), 3);
  EXPECT_EQ(ContiguousRunEnd(graph, moves, 3), 4);
}

}  // namespace
}  // namespace stowage::policies
