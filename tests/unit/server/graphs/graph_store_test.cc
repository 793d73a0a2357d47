#include "server/graphs/graph_store.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/storage/databases.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::GraphSummary Summary(const std::string& id, int64_t kernel_count = 1) {
  v1::GraphSummary summary;
  summary.set_graph_id(id);
  summary.set_name("net");
  summary.set_kernel_count(kernel_count);
  summary.set_tensor_count(2);
  summary.set_peak_bytes(4096);
  summary.mutable_updated_at()->set_seconds(7);
  return summary;
}

v1::Graph NamedGraph(const std::string& name) {
  v1::Graph graph;
  graph.set_name(name);
  return graph;
}

v1::Plan PlanOf(const std::string& graph_id) {
  v1::Plan plan;
  plan.set_graph_id(graph_id);
  plan.set_policy("belady");
  plan.set_system("optane");
  plan.set_fast_limit_bytes(100);
  plan.mutable_prediction()->set_step_time_ns(42);
  return plan;
}

std::vector<std::string> IdsAfter(GraphStore& store, const std::string& after,
                                  int limit) {
  std::vector<std::string> ids;
  const auto graphs = store.ListGraphs(after, limit);
  for (const v1::GraphSummary& summary : *graphs) {
    ids.push_back(summary.graph_id());
  }
  return ids;
}

class GraphStoreTest : public EachDatabaseTest {
 protected:
  GraphStore store_{database_};
};

TEST_P(GraphStoreTest, ReturnsTheGraphThatWasPut) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  EXPECT_EQ(store_.GetGraph("a")->name(), "net");
}

TEST_P(GraphStoreTest, SaysWhichGraphIsMissing) {
  const absl::Status status = store_.GetGraph("a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("'a'"));
}

TEST_P(GraphStoreTest, ReplacesTheProfileOfAKnownGraph) {
  EXPECT_TRUE(*store_.PutGraph(Summary("a", 1), NamedGraph("old"), ""));
  EXPECT_FALSE(*store_.PutGraph(Summary("a", 2), NamedGraph("new"), ""));
  EXPECT_EQ(store_.GetGraph("a")->name(), "new");
  EXPECT_EQ(store_.ListGraphs("", 10)->front().kernel_count(), 2);
  EXPECT_EQ(*store_.CountGraphs(), 1);
}

TEST_P(GraphStoreTest, ARetryOfTheCreatingRequestIsStillTheCreator) {
  EXPECT_TRUE(*store_.PutGraph(Summary("a"), NamedGraph("net"), "r1"));
  EXPECT_TRUE(*store_.PutGraph(Summary("a"), NamedGraph("net"), "r1"));
  EXPECT_FALSE(*store_.PutGraph(Summary("a"), NamedGraph("net"), "r2"));
}

TEST_P(GraphStoreTest, ListsByIdAndGoesOnAfterAKey) {
  for (const char* id : {"c", "a", "b"}) {
    ASSERT_TRUE(store_.PutGraph(Summary(id), NamedGraph("net"), "").ok());
  }
  EXPECT_THAT(IdsAfter(store_, "", 2), ElementsAre("a", "b"));
  EXPECT_THAT(IdsAfter(store_, "b", 2), ElementsAre("c"));
}

TEST_P(GraphStoreTest, SummariesComeBackAsTheyWere) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  EXPECT_EQ(store_.ListGraphs("", 1)->front().SerializeAsString(),
            Summary("a").SerializeAsString());
}

TEST_P(GraphStoreTest, DeletingAGraphDeletesItsPlans) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(store_.PutPlan("p", PlanOf("a")).ok());
  ASSERT_TRUE(store_.DeleteGraph("a").ok());
  EXPECT_TRUE(absl::IsNotFound(store_.GetPlan("p").status()));
}

TEST_P(GraphStoreTest, DeletingWhatIsNotThereSucceeds) {
  EXPECT_TRUE(store_.DeleteGraph("a").ok());
}

TEST_P(GraphStoreTest, KeepsPlansWhenTheProfileIsReplaced) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("old"), "").ok());
  ASSERT_TRUE(store_.PutPlan("p", PlanOf("a")).ok());
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("new"), "").ok());
  EXPECT_TRUE(store_.GetPlan("p").ok());
}

TEST_P(GraphStoreTest, RefusesAPlanOfAGraphThatIsGone) {
  EXPECT_TRUE(absl::IsNotFound(store_.PutPlan("p", PlanOf("a"))));
}

TEST_P(GraphStoreTest, TheLastPlanOfAnIdStays) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(store_.PutPlan("p", PlanOf("a")).ok());
  v1::Plan other = PlanOf("a");
  other.mutable_prediction()->set_step_time_ns(200);
  ASSERT_TRUE(store_.PutPlan("p", other).ok());
  EXPECT_EQ(store_.GetPlan("p")->prediction().step_time_ns(), 200);
}

TEST_P(GraphStoreTest, ListsThePlansOfOneGraphOrOfAll) {
  for (const char* id : {"a", "b"}) {
    ASSERT_TRUE(store_.PutGraph(Summary(id), NamedGraph("net"), "").ok());
    ASSERT_TRUE(store_.PutPlan(std::string("p-") + id, PlanOf(id)).ok());
  }
  EXPECT_EQ(store_.ListPlans("", "", 10)->size(), 2);
  const std::vector<v1::PlanSummary> plans = *store_.ListPlans("b", "", 10);
  ASSERT_EQ(plans.size(), 1);
  EXPECT_EQ(plans[0].plan_id(), "p-b");
  EXPECT_EQ(plans[0].predicted_step_time_ns(), 42);
  EXPECT_TRUE(store_.ListPlans("b", "p-b", 10)->empty());
}

TEST_P(GraphStoreTest, AStoredMessageThatIsDamagedIsDataLoss) {
  ASSERT_TRUE(store_.PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(
      database_->Run("UPDATE graphs SET graph = $1", {SqlBlob{"\xff\xff\xff"}})
          .ok());
  EXPECT_TRUE(absl::IsDataLoss(store_.GetGraph("a").status()));
}

STOWAGE_FOR_EACH_DATABASE(GraphStoreTest);

}  // namespace
}  // namespace stowage
