#include "server/scheduling/node_ranking.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

constexpr int64_t kAllFastNs = 1'000;

Candidate Node(const std::string& name, int64_t free_bytes,
               double ns_per_byte = 1, int32_t jobs = 0,
               const std::string& kind = "file") {
  auto memory = std::make_shared<NodeMemory>();
  memory->kind = kind;
  memory->fast_bytes = 100;
  memory->copies = {.in_ns_per_byte = ns_per_byte,
                    .out_ns_per_byte = ns_per_byte};
  return {.node = {name, memory, jobs}, .free_bytes = free_bytes};
}

// A job that needs 20 bytes to run and 80 to be as fast as can be.
EstimatesByKind FileEstimate() {
  policies::JobEstimate job = {.peak_bytes = 80, .all_fast_ns = kAllFastNs};
  job.least_limit_bytes = 20;
  job.points = {{.limit_bytes = 20,
                 .step_time_ns = 2'000,
                 .moved_in_bytes = 1'000,
                 .moved_out_bytes = 1'000},
                {.limit_bytes = 80, .step_time_ns = kAllFastNs}};
  job.goals = {{0.9, 74}, {0.99, 80}};
  EstimatesByKind estimates;
  estimates["file"] = {std::make_shared<policies::JobEstimate>(job),
                       {.in_ns_per_byte = 1, .out_ns_per_byte = 1}};
  return estimates;
}

std::vector<std::string> Names(const NodeRanking& ranking) {
  std::vector<std::string> names;
  for (const RankedNode& node : ranking.nodes) names.push_back(node.name);
  return names;
}

TEST(NodeRankingTest, FasterCopiesAndFewerNeighboursComeFirst) {
  const EstimatesByKind estimates = FileEstimate();
  const NodeRanking ranking =
      RankNodes({Node("slow", 90, /*ns_per_byte=*/4), Node("quick", 90, 0.5),
                 Node("shared", 90, 0.5, /*jobs=*/3)},
                {.fast_bytes = 20}, &estimates, 10);
  EXPECT_THAT(Names(ranking), ElementsAre("quick", "shared", "slow"));
  EXPECT_EQ(ranking.suitable, 3);
}

TEST(NodeRankingTest, OfNodesThatAreEquallyFastTheFullestComesFirst) {
  const EstimatesByKind estimates = FileEstimate();
  const NodeRanking ranking =
      RankNodes({Node("empty", 100), Node("half", 85)}, {}, &estimates, 10);
  EXPECT_THAT(Names(ranking), ElementsAre("half", "empty"));
  EXPECT_EQ(ranking.nodes[0].fast_bytes, 80);
  EXPECT_EQ(ranking.nodes[0].step_time_ns, kAllFastNs);
}

TEST(NodeRankingTest, AnOpenDemandTakesWhatIsLeftIfTheJobRunsWithIt) {
  const EstimatesByKind estimates = FileEstimate();
  const NodeRanking ranking =
      RankNodes({Node("little", 50), Node("none", 19)}, {}, &estimates, 10);
  ASSERT_THAT(Names(ranking), ElementsAre("little"));
  EXPECT_EQ(ranking.nodes[0].fast_bytes, 50);
  EXPECT_EQ(ranking.nodes[0].step_time_ns, 1'500);
  EXPECT_EQ(ranking.full, 1);
}

TEST(NodeRankingTest, TellsFullNodesFromThoseThatNeverSuit) {
  const EstimatesByKind estimates = FileEstimate();
  const NodeRanking ranking =
      RankNodes({Node("full", 10), Node("fits", 60),
                 Node("other", 90, 1, 0, /*kind=*/"optane")},
                {.fast_bytes = 50}, &estimates, 10);
  EXPECT_THAT(Names(ranking), ElementsAre("fits"));
  EXPECT_EQ(ranking.full, 1);
  EXPECT_EQ(ranking.unsuitable, 1);
}

TEST(NodeRankingTest, ADemandBelowTheLeastLimitOrAboveEveryNodeSuitsNone) {
  const EstimatesByKind estimates = FileEstimate();
  EXPECT_EQ(
      RankNodes({Node("a", 90)}, {.fast_bytes = 19}, &estimates, 10).unsuitable,
      1);
  EXPECT_EQ(RankNodes({Node("a", 90)}, {.fast_bytes = 101}, &estimates, 10)
                .unsuitable,
            1);
}

TEST(NodeRankingTest, WithoutAGraphTheMostFreeMemoryComesFirst) {
  const NodeRanking ranking =
      RankNodes({Node("a", 40), Node("b", 90), Node("c", 5)},
                {.fast_bytes = 10}, nullptr, 10);
  EXPECT_THAT(Names(ranking), ElementsAre("b", "a"));
  EXPECT_EQ(ranking.nodes[0].step_time_ns, 0);
  EXPECT_EQ(ranking.full, 1);
}

TEST(NodeRankingTest, ReturnsTheFirstAndCountsAll) {
  std::vector<Candidate> nodes;
  for (int i = 0; i < 100; ++i) {
    nodes.push_back(Node(absl::StrCat("n", i), 90, /*ns_per_byte=*/1 + i));
  }
  const EstimatesByKind estimates = FileEstimate();
  const NodeRanking ranking =
      RankNodes(nodes, {.fast_bytes = 20}, &estimates, 2);
  EXPECT_THAT(Names(ranking), ElementsAre("n0", "n1"));
  EXPECT_EQ(ranking.suitable, 100);
}

}  // namespace
}  // namespace stowage
