#include "server/training/training_manager.h"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/memory_system_proto.h"
#include "server/graphs/graph_store.h"
#include "server/storage/open_database.h"
#include "server/training/training_store.h"
#include "server/training/training_watch.h"
#include "tests/unit/server/testing.h"
#include "tests/unit/server/training/claims.h"
#include "tests/unit/server/training/fake_trainer.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int kEpisodes = 20;

class TrainingManagerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const v1::Graph proto = ChainGraph(8);
    v1::GraphSummary summary;
    summary.set_graph_id(policies::GraphId(*policies::GraphFromProto(proto)));
    graph_id_ = summary.graph_id();
    ASSERT_TRUE(graphs_.PutGraph(summary, proto, "").ok());
  }

  std::unique_ptr<TrainingManager> Manager(int workers = 1) {
    TrainingManagerOptions options;
    options.workers = workers;
    options.lease = absl::Milliseconds(600);
    options.on_end = [this](v1::TrainingState state) {
      absl::MutexLock lock(&mutex_);
      ended_.push_back(state);
    };
    return std::make_unique<TrainingManager>(&graphs_, &trainings_, &versions_,
                                             trainer_.function(),
                                             std::move(options));
  }

  v1::StartTrainingRequest Request(const std::string& request_id) {
    v1::StartTrainingRequest request;
    request.set_request_id(request_id);
    request.set_graph_id(graph_id_);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(kLimitBytes);
    request.mutable_options()->set_episodes(kEpisodes);
    return request;
  }

  int64_t LeaseEndsMs(int64_t training_id) {
    return database_
        ->Run("SELECT lease_ends_ms FROM trainings WHERE training_id = $1",
              {training_id})
        ->rows.at(0)
        .Int(0);
  }
  void AwaitRenewal(int64_t training_id) {
    const int64_t before = LeaseEndsMs(training_id);
    while (LeaseEndsMs(training_id) == before) std::this_thread::yield();
  }

  // Blocks until the training has ended, and returns it.
  v1::Training Await(TrainingManager& manager, int64_t training_id) {
    TrainingWatch(&manager, &trainings_)
        .Watch(training_id, [](const auto&) { return true; })
        .IgnoreError();
    return *trainings_.GetTraining(training_id);
  }

  absl::Status StartStatus(const v1::StartTrainingRequest& request) {
    return Manager()->Start(request).status();
  }

  std::shared_ptr<SqlDatabase> database_ = *OpenDatabase(":memory:");
  GraphStore graphs_{database_};
  TrainingStore trainings_{database_};
  PolicyVersions versions_{&graphs_, &trainings_};
  FakeTrainer trainer_;
  std::string graph_id_;
  absl::Mutex mutex_;
  std::vector<v1::TrainingState> ended_ ABSL_GUARDED_BY(mutex_);
};

TEST_F(TrainingManagerTest, ATrainingBecomesAVersionThatServes) {
  const auto manager = Manager();
  const absl::StatusOr<v1::Training> started = manager->Start(Request("a"));
  ASSERT_TRUE(started.ok()) << started.status();
  const v1::Training ended = Await(*manager, started->training_id());
  EXPECT_EQ(ended.state(), v1::TRAINING_STATE_SUCCEEDED) << ended.message();
  EXPECT_EQ(ended.version(), 1);
  EXPECT_EQ(ended.last_episode().episode(), kEpisodes);
  EXPECT_THAT(ended.message(), HasSubstr("promoted"));
  EXPECT_TRUE(trainings_.GetVersion({ended.policy_id(), 0}).ok());
}

TEST_F(TrainingManagerTest, TheSameRequestStartsOneTraining) {
  const auto manager = Manager();
  const int64_t first = manager->Start(Request("a"))->training_id();
  Await(*manager, first);
  EXPECT_EQ(manager->Start(Request("a"))->training_id(), first);
  EXPECT_EQ(trainer_.jobs().size(), 1);
  v1::StartTrainingRequest other = Request("a");
  other.set_seed(7);
  EXPECT_TRUE(absl::IsAlreadyExists(manager->Start(other).status()));
}

TEST_F(TrainingManagerTest, TrainsOneAtATimeAndTheOthersWait) {
  trainer_.HoldAt(1);
  const auto manager = Manager();
  manager->Start(Request("a")).value();
  trainer_.AwaitEpisode(1);
  const int64_t second = manager->Start(Request("b"))->training_id();
  EXPECT_EQ(manager->CountRunning(), 1);
  EXPECT_EQ(*trainings_.CountQueued(), 1);
  EXPECT_EQ(trainings_.GetTraining(second)->state(), v1::TRAINING_STATE_QUEUED);
  trainer_.Release();
  EXPECT_EQ(Await(*manager, second).state(), v1::TRAINING_STATE_SUCCEEDED);
}

TEST_F(TrainingManagerTest, RefusesMoreThanTheQueueHolds) {
  trainer_.HoldAt(1);
  const auto manager = Manager();
  manager->Start(Request("running")).value();
  trainer_.AwaitEpisode(1);
  for (int i = 0; i < TrainingManager::kMaxQueued; ++i) {
    ASSERT_TRUE(manager->Start(Request(std::to_string(i))).ok());
  }
  EXPECT_TRUE(
      absl::IsResourceExhausted(manager->Start(Request("one more")).status()));
  manager->BeginDrain();
  trainer_.Release();
}

TEST_F(TrainingManagerTest, ACancelledTrainingKeepsItsCheckpointAndGoesOn) {
  trainer_.HoldAt(7);
  const auto manager = Manager();
  const int64_t id = manager->Start(Request("a"))->training_id();
  trainer_.AwaitEpisode(7);
  ASSERT_TRUE(manager->Cancel(id).ok());
  trainer_.Release();
  const v1::Training cancelled = Await(*manager, id);
  EXPECT_EQ(cancelled.state(), v1::TRAINING_STATE_CANCELLED);
  EXPECT_THAT(cancelled.message(), HasSubstr("after episode 7"));
  EXPECT_TRUE(trainings_.ListVersions("", {}, 10)->empty());

  v1::StartTrainingRequest resume;
  resume.set_request_id("b");
  resume.set_resume_training_id(id);
  const absl::StatusOr<v1::Training> resumed = manager->Start(resume);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(Await(*manager, resumed->training_id()).state(),
            v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_EQ(trainer_.jobs().at(1).start->episodes_done, 7);
}

TEST_F(TrainingManagerTest, CancellingWhatWaitsEndsItAtOnce) {
  trainer_.HoldAt(1);
  const auto manager = Manager();
  manager->Start(Request("a")).value();
  const int64_t waiting = manager->Start(Request("b"))->training_id();
  trainer_.AwaitEpisode(1);
  EXPECT_EQ(manager->Cancel(waiting)->state(), v1::TRAINING_STATE_CANCELLED);
  EXPECT_EQ(*trainings_.CountQueued(), 0);
  EXPECT_EQ(manager->Cancel(waiting)->state(), v1::TRAINING_STATE_CANCELLED);
  EXPECT_TRUE(absl::IsNotFound(manager->Cancel(99).status()));
  trainer_.Release();
}

TEST_F(TrainingManagerTest, ADrainedTrainingGoesOnWhenTheServiceIsBack) {
  trainer_.HoldAt(13);
  auto manager = Manager();
  const int64_t id = manager->Start(Request("a"))->training_id();
  trainer_.AwaitEpisode(13);
  const auto channel = manager->Channel(id);
  manager->BeginDrain();
  EXPECT_TRUE(absl::IsUnavailable(manager->Start(Request("b")).status()));
  trainer_.Release();
  manager->Drain();
  EXPECT_EQ(trainings_.GetTraining(id)->state(), v1::TRAINING_STATE_QUEUED);

  manager = Manager();
  EXPECT_EQ(Await(*manager, id).state(), v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_EQ(trainer_.jobs().at(1).start->episodes_done, 13);
}

TEST_F(TrainingManagerTest, AServiceThatWasKilledGoesOnFromTheLastCheckpoint) {
  const v1::StartTrainingRequest request = Request("a");
  v1::Training running;
  running.set_graph_id(graph_id_);
  running.set_state(v1::TRAINING_STATE_RUNNING);
  const TrainingClaim dead = {
      trainings_.AddTraining(request, running)->training.training_id(),
      kHolder};
  ASSERT_TRUE(trainings_.Claim(kHolder, -absl::Hours(1)).ok());
  policies::DqnSettings settings;
  settings.episodes = kEpisodes;
  policies::DqnPolicy checkpoint = RandomPolicy(
      *policies::GraphFromProto(ChainGraph(8)),
      *policies::MemorySystemFromProto(TwoTiers()), kLimitBytes, settings,
      /*seed=*/0);
  checkpoint.episodes_done = 10;
  ASSERT_TRUE(
      trainings_.PutCheckpoint(dead, policies::EncodeDqnPolicy(checkpoint))
          .ok());
  const auto manager = Manager();
  EXPECT_EQ(Await(*manager, dead.training_id).state(),
            v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_EQ(trainer_.jobs().at(0).start->episodes_done, 10);
}

TEST_F(TrainingManagerTest, WhoeverLosesItsClaimStoresNothingMore) {
  trainer_.HoldAt(13);
  const auto manager = Manager();
  const int64_t id = manager->Start(Request("a"))->training_id();
  trainer_.AwaitEpisode(13);
  // Another replica thinks that this one is dead.
  ASSERT_TRUE(trainings_.ReleaseAll().ok());
  const TrainingClaim other = {id, kHolder};
  ASSERT_TRUE(trainings_.Claim(kHolder, absl::Hours(1))->has_value());
  trainer_.Release();
  manager->Drain();
  EXPECT_TRUE(trainings_.ListVersions("", {}, 10)->empty());
  EXPECT_EQ(trainings_.GetTraining(id)->state(), v1::TRAINING_STATE_RUNNING);
  EXPECT_EQ(*trainings_.Renew(other, absl::Hours(1)), Lease::kHeld);
  absl::MutexLock lock(&mutex_);
  EXPECT_TRUE(ended_.empty());
}

TEST_F(TrainingManagerTest, TwoReplicasShareTheQueue) {
  trainer_.HoldAt(1);
  const auto first = Manager();
  const auto second = Manager();
  const int64_t one = first->Start(Request("a"))->training_id();
  const int64_t two = first->Start(Request("b"))->training_id();
  const auto runs_on = [](TrainingManager& manager) {
    while (manager.CountRunning() == 0) {
      manager.AwaitChange(TrainingWatch::kPoll);
    }
  };
  runs_on(*first);
  runs_on(*second);
  trainer_.Release();
  // Each is watched where it may not run.
  EXPECT_EQ(Await(*first, two).state(), v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_EQ(Await(*second, one).state(), v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_EQ(trainer_.jobs().size(), 2);
}

TEST_F(TrainingManagerTest, AnyReplicaCancelsATraining) {
  trainer_.HoldAt(3);
  const auto trains = Manager();
  const int64_t id = trains->Start(Request("a"))->training_id();
  trainer_.AwaitEpisode(3);
  ASSERT_TRUE(Manager(/*workers=*/0)->Cancel(id).ok());
  // The first renewal tells the holder, and the second that the first is over.
  AwaitRenewal(id);
  AwaitRenewal(id);
  trainer_.Release();
  EXPECT_EQ(Await(*trains, id).state(), v1::TRAINING_STATE_CANCELLED);
}

TEST_F(TrainingManagerTest, AFailedTrainingLeavesWhatServesAlone) {
  const auto manager = Manager();
  const v1::Training first =
      Await(*manager, manager->Start(Request("a"))->training_id());
  trainer_.FailWith(absl::InternalError("the loss is not a number"));
  const v1::Training failed =
      Await(*manager, manager->Start(Request("b"))->training_id());
  EXPECT_EQ(failed.state(), v1::TRAINING_STATE_FAILED);
  EXPECT_THAT(failed.message(), HasSubstr("not a number"));
  EXPECT_EQ(trainings_.GetVersion({first.policy_id(), 0})->info.version(), 1);
}

TEST_F(TrainingManagerTest, AVersionThatIsNoBetterIsKeptAndNotPromoted) {
  const auto manager = Manager();
  Await(*manager, manager->Start(Request("a"))->training_id());
  // The same seed gives the same weights.
  const v1::Training second =
      Await(*manager, manager->Start(Request("b"))->training_id());
  EXPECT_EQ(second.version(), 2);
  EXPECT_THAT(second.message(), HasSubstr("not promoted"));
  EXPECT_EQ(trainings_.GetVersion({second.policy_id(), 0})->info.version(), 1);
}

TEST_F(TrainingManagerTest, RefusesMalformedRequests) {
  v1::StartTrainingRequest request = Request("a");
  request.clear_graph_id();
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
  request = Request("a");
  request.mutable_options()->set_cost_priority(1.5);
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
  request = Request("a");
  request.mutable_options()->set_fast_price_usd_per_gb(-1);
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
  request = Request("a");
  request.set_fast_limit_bytes(0);
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
  request = Request("a");
  request.clear_system();
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
  request = Request("a");
  request.set_graph_id("none");
  EXPECT_TRUE(absl::IsNotFound(StartStatus(request)));
  request = Request("a");
  request.set_resume_training_id(99);
  EXPECT_TRUE(absl::IsNotFound(StartStatus(request)));
  EXPECT_TRUE(trainer_.jobs().empty());
}

TEST_F(TrainingManagerTest, RefusesCheckpointsOfAnotherGraphAndTornOnes) {
  policies::DqnPolicy other =
      RandomPolicy(*policies::GraphFromProto(ChainGraph(3)),
                   *policies::MemorySystemFromProto(TwoTiers()), kLimitBytes,
                   policies::DqnSettings(), /*seed=*/0);
  v1::StartTrainingRequest request = Request("a");
  request.set_start_policy(policies::EncodeDqnPolicy(other));
  EXPECT_TRUE(absl::IsFailedPrecondition(StartStatus(request)));
  request.mutable_start_policy()->resize(100);
  EXPECT_TRUE(absl::IsInvalidArgument(StartStatus(request)));
}

TEST_F(TrainingManagerTest, WithoutWorkersItRefusesTrainings) {
  const absl::Status status = Manager(0)->Start(Request("a")).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(status));
  EXPECT_THAT(status.message(), HasSubstr("--training-cores"));
}

TEST_F(TrainingManagerTest, ADeletedGraphTakesItsTrainingsAlong) {
  trainer_.HoldAt(3);
  const auto manager = Manager();
  const int64_t id = manager->Start(Request("a"))->training_id();
  trainer_.AwaitEpisode(3);
  const auto channel = manager->Channel(id);
  ASSERT_TRUE(graphs_.DeleteGraph(graph_id_).ok());
  trainer_.Release();
  int64_t cursor = 0;
  while (channel->Next(&cursor, absl::Seconds(60)).event.has_value()) {
  }
  EXPECT_TRUE(absl::IsNotFound(trainings_.GetTraining(id).status()));
  EXPECT_TRUE(trainings_.ListVersions("", {}, 10)->empty());
}

TEST_F(TrainingManagerTest, TellsHowTrainingsEnded) {
  const auto manager = Manager();
  Await(*manager, manager->Start(Request("a"))->training_id());
  trainer_.FailWith(absl::InternalError("out of luck"));
  Await(*manager, manager->Start(Request("b"))->training_id());
  manager->Drain();
  absl::MutexLock lock(&mutex_);
  EXPECT_THAT(ended_, testing::ElementsAre(v1::TRAINING_STATE_SUCCEEDED,
                                           v1::TRAINING_STATE_FAILED));
}

}  // namespace
}  // namespace stowage
