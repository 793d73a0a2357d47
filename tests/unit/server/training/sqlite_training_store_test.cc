#include "server/training/sqlite_training_store.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "server/graphs/sqlite_graph_store.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

constexpr char kGraph[] = "graph";
constexpr int64_t kStoredLimitBytes = 4096;

class SqliteTrainingStoreTest : public ::testing::Test {
 protected:
  void SetUp() override { AddGraph(kGraph); }

  void AddGraph(const std::string& graph_id) {
    v1::GraphSummary summary;
    summary.set_graph_id(graph_id);
    ASSERT_TRUE(
        SqliteGraphStore(database_).PutGraph(summary, v1::Graph(), "").ok());
  }

  absl::StatusOr<AddedTraining> Add(const std::string& request_id,
                                    const std::string& graph_id = kGraph,
                                    int64_t seed = 0) {
    v1::StartTrainingRequest request;
    request.set_request_id(request_id);
    request.set_seed(seed);
    v1::Training training;
    training.set_graph_id(graph_id);
    training.set_state(v1::TRAINING_STATE_QUEUED);
    return store_.AddTraining(request, training);
  }

  v1::PolicyVersion AddVersion(const std::string& policy_id,
                               const std::string& policy,
                               int64_t limit_bytes = kStoredLimitBytes) {
    DqnVersion version;
    version.info.set_policy_id(policy_id);
    version.info.set_graph_id(kGraph);
    version.info.set_fast_limit_bytes(limit_bytes);
    version.system.set_name("two-tiers");
    version.system_digest = "digest";
    version.policy = policy;
    return store_.AddVersion(version).value();
  }

  int64_t Serving(const std::string& policy_id) {
    const auto version = store_.GetVersion({policy_id, 0});
    return version.ok() ? version->info.version() : 0;
  }

  std::shared_ptr<SharedDatabase> database_ = *OpenDatabase(":memory:");
  SqliteTrainingStore store_{database_};
};

TEST_F(SqliteTrainingStoreTest, ARequestAddsOneTraining) {
  const auto first = Add("a");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->created);
  const auto again = Add("a");
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->training.training_id(), first->training.training_id());
  EXPECT_TRUE(absl::IsAlreadyExists(Add("a", kGraph, /*seed=*/1).status()));
  EXPECT_TRUE(absl::IsNotFound(Add("b", "no such graph").status()));
}

TEST_F(SqliteTrainingStoreTest, ListsTrainingsNewestFirstByPage) {
  AddGraph("other");
  for (const char* id : {"a", "b", "c"}) ASSERT_TRUE(Add(id).ok());
  ASSERT_TRUE(Add("d", "other").ok());
  const auto page = store_.ListTrainings("", std::nullopt, 2).value();
  ASSERT_EQ(page.size(), 2);
  EXPECT_EQ(page[0].training_id(), 4);
  const auto rest = store_.ListTrainings("", page[1].training_id(), 9).value();
  EXPECT_EQ(rest.size(), 2);
  EXPECT_EQ(store_.ListTrainings(kGraph, std::nullopt, 9)->size(), 3);
}

TEST_F(SqliteTrainingStoreTest, KnowsWhatIsUnfinished) {
  v1::Training done = Add("a")->training;
  const int64_t waiting = Add("b")->training.training_id();
  done.set_state(v1::TRAINING_STATE_SUCCEEDED);
  ASSERT_TRUE(store_.UpdateTraining(done).ok());
  const auto unfinished = store_.ListUnfinished().value();
  ASSERT_EQ(unfinished.size(), 1);
  EXPECT_EQ(unfinished[0].training_id(), waiting);
}

TEST_F(SqliteTrainingStoreTest, KeepsTheLastCheckpoint) {
  const int64_t id = Add("a")->training.training_id();
  EXPECT_EQ(store_.GetCheckpoint(id).value(), "");
  ASSERT_TRUE(store_.PutCheckpoint(id, std::string("a\0b", 3)).ok());
  EXPECT_EQ(store_.GetCheckpoint(id).value(), std::string("a\0b", 3));
  EXPECT_TRUE(absl::IsNotFound(store_.GetCheckpoint(99).status()));
}

TEST_F(SqliteTrainingStoreTest, NumbersVersionsWithinAPolicy) {
  EXPECT_EQ(AddVersion("p", "1").version(), 1);
  EXPECT_EQ(AddVersion("p", "2").version(), 2);
  EXPECT_EQ(AddVersion("q", "1").version(), 1);
  const auto versions = store_.ListVersions("", {"p", 1}, 9).value();
  ASSERT_EQ(versions.size(), 2);
  EXPECT_EQ(versions[0].version(), 2);
  EXPECT_EQ(versions[1].policy_id(), "q");
  EXPECT_EQ(store_.GetVersion({"p", 2})->policy, "2");
  EXPECT_TRUE(absl::IsNotFound(store_.GetVersion({"p", 3}).status()));
}

TEST_F(SqliteTrainingStoreTest, TheVersionPromotedLastServes) {
  AddVersion("p", "1");
  AddVersion("p", "2");
  EXPECT_EQ(Serving("p"), 0);
  ASSERT_TRUE(store_.Promote({"p", 2}).ok());
  EXPECT_EQ(Serving("p"), 2);
  ASSERT_TRUE(store_.Promote({"p", 1}).ok());
  EXPECT_EQ(Serving("p"), 1);
  EXPECT_TRUE(absl::IsNotFound(store_.Promote({"p", 9})));
  const auto versions = store_.ListVersions(kGraph, {}, 9).value();
  EXPECT_TRUE(versions[0].serving());
  EXPECT_FALSE(versions[1].serving());
}

TEST_F(SqliteTrainingStoreTest, RollingBackReturnsToWhatServedBefore) {
  EXPECT_TRUE(absl::IsNotFound(store_.RollBack({"p", 1})));
  for (int64_t version : {1, 2, 3}) {
    AddVersion("p", std::to_string(version));
    ASSERT_TRUE(store_.Promote({"p", version}).ok());
  }
  ASSERT_TRUE(store_.RollBack({"p", 3}).ok());
  EXPECT_EQ(Serving("p"), 2);
  // The same request is sent again.
  ASSERT_TRUE(store_.RollBack({"p", 3}).ok());
  EXPECT_EQ(Serving("p"), 2);
  ASSERT_TRUE(store_.RollBack({"p", 2}).ok());
  EXPECT_TRUE(absl::IsFailedPrecondition(store_.RollBack({"p", 1})));
  EXPECT_EQ(Serving("p"), 1);
}

TEST_F(SqliteTrainingStoreTest, ListsWhatServesTheOnePromotedLastFirst) {
  AddVersion("p", "p1");
  AddVersion("q", "q1");
  AddVersion("q", "q2");
  EXPECT_TRUE(store_.ListServing(kGraph)->empty());
  ASSERT_TRUE(store_.Promote({"q", 1}).ok());
  ASSERT_TRUE(store_.Promote({"p", 1}).ok());
  const auto serving = store_.ListServing(kGraph).value();
  ASSERT_EQ(serving.size(), 2);
  EXPECT_EQ(serving[0].policy, "p1");
  EXPECT_EQ(serving[1].policy, "q1");
  EXPECT_TRUE(store_.ListServing("another")->empty());
}

TEST_F(SqliteTrainingStoreTest, AllOfItGoesWithItsGraph) {
  const int64_t id = Add("a")->training.training_id();
  AddVersion("p", "1");
  ASSERT_TRUE(store_.Promote({"p", 1}).ok());
  ASSERT_TRUE(SqliteGraphStore(database_).DeleteGraph(kGraph).ok());
  EXPECT_TRUE(absl::IsNotFound(store_.GetTraining(id).status()));
  EXPECT_EQ(Serving("p"), 0);
}

TEST(OpenDatabaseTest, BringsADatabaseWithoutTrainingsUpToDate) {
  const TemporaryDirectory directory;
  const std::string path = directory.path() + "/a.db";
  {
    auto database = OpenDatabase(path).value();
    absl::MutexLock lock(&database->mutex);
    ASSERT_TRUE(database->connection
                    .Execute("DROP TABLE dqn_promotions;"
                             "DROP TABLE dqn_versions; DROP TABLE trainings;"
                             "PRAGMA user_version = 1;")
                    .ok());
  }
  SqliteTrainingStore store(OpenDatabase(path).value());
  EXPECT_TRUE(store.ListUnfinished()->empty());
}

}  // namespace
}  // namespace stowage
