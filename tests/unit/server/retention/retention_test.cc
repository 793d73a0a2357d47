#include "server/retention/retention.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "server/training/training_store.h"
#include "tests/unit/server/storage/databases.h"
#include "tests/unit/server/training/claims.h"

namespace stowage {
namespace {

class RetentionTest : public EachDatabaseTest {
 protected:
  void PutGraph(const std::string& id, size_t size_bytes = 10) {
    v1::GraphSummary summary;
    summary.set_graph_id(id);
    v1::Graph graph;
    graph.set_name(std::string(size_bytes, 'x'));
    ASSERT_TRUE(graphs_.PutGraph(summary, graph, "").ok());
    Age("graphs", "graph_id", id);
  }

  void PutPlan(const std::string& id, const std::string& graph_id) {
    v1::Plan plan;
    plan.set_graph_id(graph_id);
    ASSERT_TRUE(graphs_.PutPlan(id, plan).ok());
    Age("plans", "plan_id", id);
  }

  // Makes the row one that was used long ago, and each a bit later.
  void Age(const std::string& table, const std::string& key,
           const std::string& id) {
    ASSERT_TRUE(
        database_
            ->Run(absl::StrCat("UPDATE ", table, " SET used_at_ms = $2 WHERE ",
                               key, " = $1"),
                  {id, ++aged_})
            .ok());
  }

  DeletedCounts Sweep(const RetentionBounds& bounds,
                      const Retention::GraphIds& in_use = {}) {
    return Retention(database_, &graphs_, bounds, {}).Sweep(in_use).value();
  }

  GraphStore graphs_{database_};
  TrainingStore trainings_{database_};
  int64_t aged_ = 0;
};

TEST_P(RetentionTest, GraphsBeyondTheBoundGoWithTheirPlans) {
  for (const char* id : {"a", "b", "c"}) PutGraph(id);
  PutPlan("p", "a");
  EXPECT_EQ(Sweep({.graphs = 2}).graphs, 1);
  EXPECT_FALSE(*graphs_.HasGraph("a"));
  EXPECT_TRUE(absl::IsNotFound(graphs_.GetPlan("p").status()));
  EXPECT_TRUE(*graphs_.HasGraph("b"));
}

TEST_P(RetentionTest, BytesAreBoundedToo) {
  PutGraph("a", 1000);
  PutGraph("b", 2000);
  PutGraph("c", 3000);
  EXPECT_EQ(Sweep({.size_bytes = 5500}).graphs, 1);
  EXPECT_FALSE(*graphs_.HasGraph("a"));
}

TEST_P(RetentionTest, WhatWasAskedForStays) {
  for (const char* id : {"a", "b", "c"}) PutGraph(id);
  PutPlan("p", "a");
  ASSERT_TRUE(graphs_.GetPlan("p").ok());
  ASSERT_TRUE(graphs_.GetGraph("c").ok());
  EXPECT_EQ(Sweep({.graphs = 1, .plans = 0}).graphs, 1);
  EXPECT_FALSE(*graphs_.HasGraph("b"));
  EXPECT_TRUE(graphs_.GetPlan("p").ok());
}

TEST_P(RetentionTest, GraphsOfJobsAndOfTrainingsStay) {
  for (const char* id : {"a", "b", "c"}) PutGraph(id);
  ClaimNew(trainings_, "a", "training");
  EXPECT_EQ(Sweep({.graphs = 0}, {"b"}).graphs, 1);
  EXPECT_FALSE(*graphs_.HasGraph("c"));
}

TEST_P(RetentionTest, PlansBeyondTheBoundGo) {
  PutGraph("a");
  for (const char* id : {"p", "q", "r"}) PutPlan(id, "a");
  EXPECT_EQ(Sweep({.plans = 1}).plans, 2);
  EXPECT_TRUE(graphs_.GetPlan("r").ok());
}

TEST_P(RetentionTest, OldTrainingsGoAndUnfinishedOnesStay) {
  PutGraph("a");
  for (const char* id : {"1", "2", "3", "4"}) {
    const TrainingClaim claim = ClaimNew(trainings_, "a", id);
    v1::Training training = *trainings_.GetTraining(claim.training_id);
    if (*id != '1') training.set_state(v1::TRAINING_STATE_SUCCEEDED);
    ASSERT_TRUE(trainings_.UpdateTraining(claim, training).ok());
  }
  EXPECT_EQ(Sweep({.ended_trainings = 1}).trainings, 2);
  EXPECT_TRUE(trainings_.GetTraining(1).ok());
  EXPECT_TRUE(trainings_.GetTraining(4).ok());
}

TEST_P(RetentionTest, OldVersionsGoAndThoseThatServedLatelyStay) {
  PutGraph("a");
  for (int i = 1; i <= 6; ++i) {
    DqnVersion version;
    version.info.set_policy_id("p");
    version.info.set_graph_id("a");
    const bool promote = i == 1 || i == 2 || i == 3;
    ASSERT_TRUE(trainings_
                    .AddVersion(ClaimNew(trainings_, "a", absl::StrCat(i)),
                                version, std::min(i - 1, 3), promote)
                    .ok());
  }
  // The newest two, and the two that served last.
  EXPECT_EQ(Sweep({.versions = 2}).versions, 2);
  for (const int64_t version : {2, 3, 5, 6}) {
    EXPECT_TRUE(trainings_.GetVersion({"p", version}).ok()) << version;
  }
  EXPECT_EQ(trainings_.GetVersion({"p", 0})->info.version(), 3);
}

STOWAGE_FOR_EACH_DATABASE(RetentionTest);

}  // namespace
}  // namespace stowage
