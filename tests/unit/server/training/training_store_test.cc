#include "server/training/training_store.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "server/graphs/graph_store.h"
#include "tests/unit/server/storage/databases.h"
#include "tests/unit/server/training/claims.h"

namespace stowage {
namespace {

constexpr char kGraph[] = "graph";
constexpr int64_t kStoredLimitBytes = 4096;

class TrainingStoreTest : public EachDatabaseTest {
 protected:
  void SetUp() override { AddGraph(kGraph); }

  void AddGraph(const std::string& graph_id) {
    v1::GraphSummary summary;
    summary.set_graph_id(graph_id);
    ASSERT_TRUE(GraphStore(database_).PutGraph(summary, v1::Graph(), "").ok());
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
    const TrainingClaim claim =
        ClaimNew(store_, kGraph, "version " + std::to_string(++claimed_));
    return store_
        .AddVersion(claim, version, Serving(policy_id), /*promote=*/false)
        .value();
  }

  std::optional<int64_t> ClaimedBy(const std::string& holder,
                                   absl::Duration lease = absl::Hours(1)) {
    const auto claimed = store_.Claim(holder, lease).value();
    if (!claimed.has_value()) return std::nullopt;
    return claimed->training.training_id();
  }

  int64_t Serving(const std::string& policy_id) {
    const auto version = store_.GetVersion({policy_id, 0});
    return version.ok() ? version->info.version() : 0;
  }

  TrainingStore store_{database_};
  int claimed_ = 0;
};

TEST_P(TrainingStoreTest, ARequestAddsOneTraining) {
  const auto first = Add("a");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_TRUE(first->created);
  const auto again = Add("a");
  EXPECT_FALSE(again->created);
  EXPECT_EQ(again->training.training_id(), first->training.training_id());
  EXPECT_TRUE(absl::IsAlreadyExists(Add("a", kGraph, /*seed=*/1).status()));
  EXPECT_TRUE(absl::IsNotFound(Add("b", "no such graph").status()));
}

TEST_P(TrainingStoreTest, ListsTrainingsNewestFirstByPage) {
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

TEST_P(TrainingStoreTest, KeepsTheLastCheckpoint) {
  const TrainingClaim claim = ClaimNew(store_, kGraph, "a");
  EXPECT_EQ(store_.GetCheckpoint(claim.training_id).value(), "");
  ASSERT_TRUE(store_.PutCheckpoint(claim, std::string("a\0b", 3)).ok());
  EXPECT_EQ(store_.GetCheckpoint(claim.training_id).value(),
            std::string("a\0b", 3));
  EXPECT_TRUE(absl::IsNotFound(store_.GetCheckpoint(99).status()));
}

TEST_P(TrainingStoreTest, ClaimsTheOldestThatHasNotEnded) {
  v1::Training first = Add("a")->training;
  const int64_t second = Add("b")->training.training_id();
  EXPECT_EQ(store_.CountQueued().value(), 2);
  EXPECT_EQ(ClaimedBy("x"), first.training_id());
  first.set_state(v1::TRAINING_STATE_SUCCEEDED);
  ASSERT_TRUE(store_.UpdateTraining({first.training_id(), "x"}, first).ok());
  EXPECT_EQ(ClaimedBy("y"), second);
  EXPECT_EQ(ClaimedBy("z"), std::nullopt);
  EXPECT_EQ(store_.CountQueued().value(), 1);
}

TEST_P(TrainingStoreTest, AClaimCarriesWhatTheNextHolderNeeds) {
  const TrainingClaim claim = ClaimNew(store_, kGraph, "a");
  ASSERT_TRUE(store_.PutCheckpoint(claim, "so far").ok());
  ASSERT_TRUE(store_.Release(claim).ok());
  const auto next = store_.Claim("next", absl::Hours(1)).value();
  ASSERT_TRUE(next.has_value());
  EXPECT_EQ(next->training.training_id(), claim.training_id);
  EXPECT_EQ(next->request.request_id(), "a");
  EXPECT_EQ(next->checkpoint, "so far");
}

TEST_P(TrainingStoreTest, ADeadHoldersTrainingGoesToAnotherAndIsLostToIt) {
  const int64_t id = Add("a")->training.training_id();
  // A lease that ended long ago: no clock needs to move.
  ASSERT_EQ(ClaimedBy("dead", -absl::Hours(1)), id);
  const TrainingClaim dead = {id, "dead"};
  EXPECT_EQ(store_.Renew(dead, -absl::Hours(1)).value(), Lease::kHeld);
  ASSERT_EQ(ClaimedBy("next"), id);
  EXPECT_EQ(store_.Renew(dead, absl::Hours(1)).value(), Lease::kLost);
  EXPECT_TRUE(absl::IsAborted(store_.PutCheckpoint(dead, "late")));
  EXPECT_TRUE(absl::IsAborted(store_.UpdateTraining(dead, v1::Training())));
  EXPECT_TRUE(absl::IsAborted(
      store_.AddVersion(dead, DqnVersion(), 0, false).status()));
  ASSERT_TRUE(store_.Release(dead).ok());  // does nothing
  EXPECT_EQ(ClaimedBy("third"), std::nullopt);
}

TEST_P(TrainingStoreTest, AnExclusiveServiceTakesOverWhatWasHeld) {
  const int64_t id = Add("a")->training.training_id();
  ASSERT_EQ(ClaimedBy("before"), id);
  ASSERT_TRUE(store_.ReleaseAll().ok());
  EXPECT_EQ(ClaimedBy("after"), id);
}

TEST_P(TrainingStoreTest, CancellingTellsTheHolderOrEndsWhatNobodyHolds) {
  const auto end = [](v1::Training* training) {
    training->set_state(v1::TRAINING_STATE_CANCELLED);
  };
  const TrainingClaim held = ClaimNew(store_, kGraph, "a");
  const int64_t waiting = Add("b")->training.training_id();
  EXPECT_EQ(store_.Cancel(held.training_id, end)->state(),
            v1::TRAINING_STATE_QUEUED);
  EXPECT_EQ(store_.Renew(held, absl::Hours(1)).value(), Lease::kCancelled);
  EXPECT_EQ(store_.Cancel(waiting, end)->state(), v1::TRAINING_STATE_CANCELLED);
  EXPECT_EQ(store_.GetTraining(waiting)->state(), v1::TRAINING_STATE_CANCELLED);
  EXPECT_EQ(ClaimedBy("x"), std::nullopt);
  EXPECT_TRUE(absl::IsNotFound(store_.Cancel(99, end).status()));
}

TEST_P(TrainingStoreTest, ATrainingMakesOneVersion) {
  const TrainingClaim claim = ClaimNew(store_, kGraph, "a");
  DqnVersion version;
  version.info.set_policy_id("p");
  version.info.set_graph_id(kGraph);
  EXPECT_FALSE(store_.FindVersionOf(claim.training_id)->has_value());
  EXPECT_TRUE(store_.AddVersion(claim, version, 0, /*promote=*/true).ok());
  EXPECT_TRUE(absl::IsAlreadyExists(
      store_.AddVersion(claim, version, 1, /*promote=*/true).status()));
  EXPECT_TRUE(store_.FindVersionOf(claim.training_id).value()->serving());
}

TEST_P(TrainingStoreTest, AVersionIsJudgedByTheOneThatServes) {
  AddVersion("p", "1");
  ASSERT_TRUE(store_.Promote({"p", 1}).ok());
  const TrainingClaim claim = ClaimNew(store_, kGraph, "a");
  DqnVersion version;
  version.info.set_policy_id("p");
  version.info.set_graph_id(kGraph);
  EXPECT_TRUE(absl::IsAborted(
      store_.AddVersion(claim, version, /*serving=*/0, true).status()));
  EXPECT_TRUE(store_.AddVersion(claim, version, /*serving=*/1, true).ok());
  EXPECT_EQ(Serving("p"), 2);
}

TEST_P(TrainingStoreTest, NumbersVersionsWithinAPolicy) {
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

TEST_P(TrainingStoreTest, TheVersionPromotedLastServes) {
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

TEST_P(TrainingStoreTest, RollingBackReturnsToWhatServedBefore) {
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

TEST_P(TrainingStoreTest, ListsWhatServesTheOnePromotedLastFirst) {
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

TEST_P(TrainingStoreTest, AllOfItGoesWithItsGraph) {
  AddVersion("p", "1");
  const int64_t id = Add("a")->training.training_id();
  ASSERT_TRUE(store_.Promote({"p", 1}).ok());
  ASSERT_TRUE(GraphStore(database_).DeleteGraph(kGraph).ok());
  EXPECT_TRUE(absl::IsNotFound(store_.GetTraining(id).status()));
  EXPECT_EQ(Serving("p"), 0);
}

STOWAGE_FOR_EACH_DATABASE(TrainingStoreTest);

}  // namespace
}  // namespace stowage
