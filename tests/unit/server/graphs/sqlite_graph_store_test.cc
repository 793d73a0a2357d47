#include "server/graphs/sqlite_graph_store.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/graphs/sqlite.h"
#include "tests/unit/server/testing.h"

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

class SqliteGraphStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<GraphStore> store_ = *SqliteGraphStore::Open(":memory:");
};

TEST_F(SqliteGraphStoreTest, ReturnsTheGraphThatWasPut) {
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  EXPECT_EQ(store_->GetGraph("a")->name(), "net");
}

TEST_F(SqliteGraphStoreTest, SaysWhichGraphIsMissing) {
  const absl::Status status = store_->GetGraph("a").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(status.message(), HasSubstr("'a'"));
}

TEST_F(SqliteGraphStoreTest, ReplacesTheProfileOfAKnownGraph) {
  EXPECT_TRUE(*store_->PutGraph(Summary("a", 1), NamedGraph("old"), ""));
  EXPECT_FALSE(*store_->PutGraph(Summary("a", 2), NamedGraph("new"), ""));
  EXPECT_EQ(store_->GetGraph("a")->name(), "new");
  EXPECT_EQ(store_->ListGraphs("", 10)->front().kernel_count(), 2);
  EXPECT_EQ(*store_->CountGraphs(), 1);
}

TEST_F(SqliteGraphStoreTest, ARetryOfTheCreatingRequestIsStillTheCreator) {
  EXPECT_TRUE(*store_->PutGraph(Summary("a"), NamedGraph("net"), "r1"));
  EXPECT_TRUE(*store_->PutGraph(Summary("a"), NamedGraph("net"), "r1"));
  EXPECT_FALSE(*store_->PutGraph(Summary("a"), NamedGraph("net"), "r2"));
}

TEST_F(SqliteGraphStoreTest, ListsByIdAndGoesOnAfterAKey) {
  for (const char* id : {"c", "a", "b"}) {
    ASSERT_TRUE(store_->PutGraph(Summary(id), NamedGraph("net"), "").ok());
  }
  EXPECT_THAT(IdsAfter(*store_, "", 2), ElementsAre("a", "b"));
  EXPECT_THAT(IdsAfter(*store_, "b", 2), ElementsAre("c"));
}

TEST_F(SqliteGraphStoreTest, SummariesComeBackAsTheyWere) {
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  EXPECT_EQ(store_->ListGraphs("", 1)->front().SerializeAsString(),
            Summary("a").SerializeAsString());
}

TEST_F(SqliteGraphStoreTest, DeletingAGraphDeletesItsPlans) {
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(store_->PutPlan("p", PlanOf("a")).ok());
  ASSERT_TRUE(store_->DeleteGraph("a").ok());
  EXPECT_TRUE(absl::IsNotFound(store_->GetPlan("p").status()));
}

TEST_F(SqliteGraphStoreTest, DeletingWhatIsNotThereSucceeds) {
  EXPECT_TRUE(store_->DeleteGraph("a").ok());
}

TEST_F(SqliteGraphStoreTest, KeepsPlansWhenTheProfileIsReplaced) {
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("old"), "").ok());
  ASSERT_TRUE(store_->PutPlan("p", PlanOf("a")).ok());
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("new"), "").ok());
  EXPECT_TRUE(store_->GetPlan("p").ok());
}

TEST_F(SqliteGraphStoreTest, RefusesAPlanOfAGraphThatIsGone) {
  EXPECT_TRUE(absl::IsNotFound(store_->PutPlan("p", PlanOf("a"))));
}

TEST_F(SqliteGraphStoreTest, TheLastPlanOfAnIdStays) {
  ASSERT_TRUE(store_->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(store_->PutPlan("p", PlanOf("a")).ok());
  v1::Plan other = PlanOf("a");
  other.mutable_prediction()->set_step_time_ns(200);
  ASSERT_TRUE(store_->PutPlan("p", other).ok());
  EXPECT_EQ(store_->GetPlan("p")->prediction().step_time_ns(), 200);
}

TEST_F(SqliteGraphStoreTest, ListsThePlansOfOneGraphOrOfAll) {
  for (const char* id : {"a", "b"}) {
    ASSERT_TRUE(store_->PutGraph(Summary(id), NamedGraph("net"), "").ok());
    ASSERT_TRUE(store_->PutPlan(std::string("p-") + id, PlanOf(id)).ok());
  }
  EXPECT_EQ(store_->ListPlans("", "", 10)->size(), 2);
  const std::vector<v1::PlanSummary> plans = *store_->ListPlans("b", "", 10);
  ASSERT_EQ(plans.size(), 1);
  EXPECT_EQ(plans[0].plan_id(), "p-b");
  EXPECT_EQ(plans[0].predicted_step_time_ns(), 42);
  EXPECT_TRUE(store_->ListPlans("b", "p-b", 10)->empty());
}

class SqliteFileTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/a.db";
};

TEST_F(SqliteFileTest, KeepsGraphsWhenReopened) {
  {
    std::unique_ptr<GraphStore> store = *SqliteGraphStore::Open(path_);
    ASSERT_TRUE(store->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  }
  EXPECT_TRUE((*SqliteGraphStore::Open(path_))->GetGraph("a").ok());
}

TEST_F(SqliteFileTest, CommitsWaitForTheDisk) {
  constexpr int kFull = 2;
  EXPECT_EQ(*SqliteDatabase::Open(path_)->QueryInt("PRAGMA synchronous"),
            kFull);
}

TEST_F(SqliteFileTest, RefusesAFileThatIsNoDatabase) {
  std::ofstream(path_) << std::string(8192, 'x');
  const absl::Status status = SqliteGraphStore::Open(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr(path_));
  EXPECT_THAT(status.message(), HasSubstr("backup"));
}

TEST_F(SqliteFileTest, RefusesADirectoryThatIsNotThere) {
  const std::string path = directory_.path() + "/missing/a.db";
  EXPECT_TRUE(absl::IsUnavailable(SqliteGraphStore::Open(path).status()));
}

TEST_F(SqliteFileTest, RefusesASchemaOfANewerVersion) {
  ASSERT_TRUE(
      SqliteDatabase::Open(path_)->Execute("PRAGMA user_version = 99").ok());
  const absl::Status status = SqliteGraphStore::Open(path_).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(status.message(), HasSubstr("version 99"));
}

TEST_F(SqliteFileTest, RefusesTablesOfSomebodyElse) {
  ASSERT_TRUE(SqliteDatabase::Open(path_)
                  ->Execute("CREATE TABLE graphs (mine TEXT)")
                  .ok());
  EXPECT_EQ(SqliteGraphStore::Open(path_).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(SqliteFileTest, AStoredMessageThatIsDamagedIsDataLoss) {
  std::unique_ptr<GraphStore> store = *SqliteGraphStore::Open(path_);
  ASSERT_TRUE(store->PutGraph(Summary("a"), NamedGraph("net"), "").ok());
  ASSERT_TRUE(SqliteDatabase::Open(path_)
                  ->Execute("UPDATE graphs SET graph = x'ffffff'")
                  .ok());
  EXPECT_EQ(store->GetGraph("a").status().code(), absl::StatusCode::kDataLoss);
}

TEST_F(SqliteFileTest, AFullDatabaseIsUnavailableAndKeepsWhatItHas) {
  absl::StatusOr<SqliteDatabase> database = SqliteDatabase::Open(path_);
  ASSERT_TRUE(database.ok());
  ASSERT_TRUE(database->Execute("CREATE TABLE t (v TEXT)").ok());
  ASSERT_TRUE(database->QueryInt("PRAGMA max_page_count = 3").ok());
  EXPECT_TRUE(absl::IsUnavailable(
      database->Execute("INSERT INTO t VALUES (zeroblob(100000))")));
  EXPECT_EQ(*database->QueryInt("SELECT count(*) FROM t"), 0);
}

}  // namespace
}  // namespace stowage
