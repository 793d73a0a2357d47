// Trains DQN policies over the wire: for real, promoted, used, rolled back.
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int kKernels = 12;
constexpr int kEpisodes = 5;
constexpr int64_t kLimitBytes = 2 * kChainTensorBytes;

class StowagedTrainingTest : public ::testing::Test {
 protected:
  void SetUp() override { Serve(); }

  // Starts a new process on the same database.
  void Serve() {
    server_ = std::make_unique<StowagedProcess>(std::vector<std::string>{
        "--db=" + directory_.path() + "/a.db", "--training-nice=0"});
    ASSERT_TRUE(server_->WaitReady()) << server_->output();
    client_ = server_->Connect();
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = ChainGraph(kKernels);
    graph_id_ = client_->RegisterGraph(registration)->graph_id();
  }

  v1::StartTrainingRequest Request(const std::string& request_id,
                                   int episodes = kEpisodes) {
    v1::StartTrainingRequest request;
    request.set_request_id(request_id);
    request.set_graph_id(graph_id_);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(kLimitBytes);
    request.mutable_options()->set_episodes(episodes);
    return request;
  }

  v1::MakePlanRequest PlanRequest(int64_t limit_bytes = kLimitBytes) {
    v1::MakePlanRequest request;
    request.set_graph_id(graph_id_);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(limit_bytes);
    request.set_policy("deeptm");
    return request;
  }

  // Watches to the end; returns the episodes seen.
  std::vector<int> Watch(int64_t training_id) {
    std::vector<int> episodes;
    const absl::Status watched =
        client_->WatchTraining(training_id, [&](const v1::TrainingEvent& e) {
          if (e.has_episode()) episodes.push_back(e.episode().episode());
          return true;
        });
    EXPECT_TRUE(watched.ok()) << watched;
    return episodes;
  }

  v1::Training Train(const v1::StartTrainingRequest& request) {
    const auto started = client_->StartTraining(request);
    EXPECT_TRUE(started.ok()) << started.status();
    Watch(started->training_id());
    return *client_->GetTraining(started->training_id());
  }

  // Blocks until an episode has ended.
  void AwaitEpisode(int64_t training_id) {
    client_
        ->WatchTraining(
            training_id,
            [](const v1::TrainingEvent& event) { return !event.has_episode(); })
        .IgnoreError();
  }

  TemporaryDirectory directory_;
  std::unique_ptr<StowagedProcess> server_;
  std::unique_ptr<Client> client_;
  std::string graph_id_;
};

TEST_F(StowagedTrainingTest, ATrainedPolicyServesDecidesOnlineAndIsRolledBack) {
  const absl::Status before = client_->MakePlan(PlanRequest()).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(before));
  EXPECT_THAT(before.message(), HasSubstr("stowage train"));

  const auto started = client_->StartTraining(Request("a"));
  ASSERT_TRUE(started.ok()) << started.status();
  EXPECT_THAT(Watch(started->training_id()),
              testing::ElementsAre(1, 2, 3, 4, 5));
  const v1::Training training = *client_->GetTraining(started->training_id());
  ASSERT_EQ(training.state(), v1::TRAINING_STATE_SUCCEEDED)
      << training.message();
  EXPECT_EQ(training.last_episode().episode(), kEpisodes);

  const auto versions = client_->ListVersions(graph_id_).value();
  ASSERT_EQ(versions.size(), 1);
  EXPECT_TRUE(versions[0].serving());
  const auto made = client_->MakePlan(PlanRequest());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->plan().policy(), "deeptm");
  EXPECT_EQ(made->plan().prediction().step_time_ns(),
            versions[0].predicted_step_time_ns());

  // If tensors are as planned, the plan answers; if one is elsewhere, the
  // policy does.
  v1::PlaceRequest place;
  place.set_plan_id(made->plan_id());
  place.set_kernel(4);
  place.set_window(4);
  place.set_adapt(true);
  std::unique_ptr<PlaceStream> stream = client_->Place();
  auto answer = stream->Send(place);
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->source(), v1::DECISION_SOURCE_PLAN);
  v1::Resident* resident = place.add_residents();
  resident->set_tensor(4);
  for (int tier : {0, 1}) {
    resident->set_tier(tier);
    answer = stream->Send(place);
    ASSERT_TRUE(answer.ok()) << answer.status();
    if (answer->source() == v1::DECISION_SOURCE_POLICY) break;
  }
  EXPECT_EQ(answer->source(), v1::DECISION_SOURCE_POLICY);
  ASSERT_FALSE(answer->decisions().empty());
  EXPECT_FALSE(answer->decisions(0).actions().empty());
  resident->set_tensor(0);
  resident->set_tier(7);
  EXPECT_TRUE(absl::IsInvalidArgument(stream->Send(place).status()));

  // The same training again is no better; it can serve all the same.
  const v1::Training second = Train(Request("b"));
  ASSERT_EQ(second.version(), 2) << second.message();
  EXPECT_THAT(second.message(), HasSubstr("not promoted"));
  const std::string& id = training.policy_id();
  EXPECT_EQ(client_->GetVersion(id, 0)->version().version(), 1);
  EXPECT_EQ(client_->GetVersion(id, 1)->policy(),
            client_->GetVersion(id, 2)->policy());
  EXPECT_TRUE(client_->PromoteVersion(id, 2)->serving());
  EXPECT_EQ(client_->GetVersion(id, 0)->version().version(), 2);
  EXPECT_EQ(client_->RollBackVersion(id, 2)->version(), 1);
  EXPECT_TRUE(
      absl::IsFailedPrecondition(client_->RollBackVersion(id, 1).status()));
  EXPECT_TRUE(absl::IsNotFound(client_->PromoteVersion(id, 9).status()));
}

TEST_F(StowagedTrainingTest, WhatFitsIsNotTrainedForAndServedAllTheSame) {
  v1::StartTrainingRequest request = Request("a");
  request.set_fast_limit_bytes(100 * kChainTensorBytes);
  const v1::Training training = Train(request);
  EXPECT_EQ(training.state(), v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_THAT(training.message(), HasSubstr("nothing to learn"));
  EXPECT_EQ(training.version(), 0);
  const auto made = client_->MakePlan(PlanRequest(100 * kChainTensorBytes));
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_TRUE(made->plan().fits());
}

TEST_F(StowagedTrainingTest,
       AnInterruptedTrainingGoesOnAndACancelledIsResumed) {
  const int64_t id =
      client_->StartTraining(Request("a", 20'000))->training_id();
  AwaitEpisode(id);
  client_.reset();  // a connection that is idle would be waited for
  server_->Signal(SIGTERM);
  EXPECT_EQ(server_->Wait(), 0) << server_->output();
  Serve();
  const int interrupted = client_->GetTraining(id)->last_episode().episode();
  AwaitEpisode(id);
  ASSERT_TRUE(client_->CancelTraining(id).ok());
  Watch(id);
  const v1::Training cancelled = *client_->GetTraining(id);
  ASSERT_EQ(cancelled.state(), v1::TRAINING_STATE_CANCELLED)
      << cancelled.message();
  const int done = cancelled.last_episode().episode();
  EXPECT_GT(done, interrupted);  // it did not begin anew
  EXPECT_TRUE(client_->ListVersions(graph_id_)->empty());

  v1::StartTrainingRequest resume;
  resume.set_request_id("b");
  resume.set_resume_training_id(id);
  resume.mutable_options()->set_episodes(done + 2);
  const v1::Training resumed = Train(resume);
  EXPECT_EQ(resumed.state(), v1::TRAINING_STATE_SUCCEEDED) << resumed.message();
  EXPECT_EQ(resumed.last_episode().episode(), done + 2);
}

TEST_F(StowagedTrainingTest, RefusesWhatCannotBeTrained) {
  v1::StartTrainingRequest beta = Request("beta");
  beta.mutable_options()->set_cost_priority(-0.1);
  v1::StartTrainingRequest price = Request("price");
  price.mutable_options()->set_slow_price_usd_per_gb(-1);
  v1::StartTrainingRequest torn = Request("torn");
  torn.set_start_policy("not a policy");
  for (const auto& request : {beta, price, torn, Request("")}) {
    EXPECT_TRUE(
        absl::IsInvalidArgument(client_->StartTraining(request).status()));
  }
  EXPECT_TRUE(absl::IsNotFound(client_->GetTraining(9).status()));
  EXPECT_TRUE(absl::IsNotFound(
      client_->WatchTraining(9, [](const auto&) { return true; })));
}

TEST(StowagedWithoutTrainerTest, SaysWhatIsMissing) {
  StowagedProcess server({"--trainer=/nonexistent/stowage-trainer"});
  ASSERT_TRUE(server.WaitReady()) << server.output();
  const std::unique_ptr<Client> client = server.Connect();
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(kKernels);
  v1::StartTrainingRequest request;
  request.set_request_id("a");
  request.set_graph_id(client->RegisterGraph(registration)->graph_id());
  *request.mutable_system() = TwoTiers();
  request.set_fast_limit_bytes(kLimitBytes);
  const int64_t id = client->StartTraining(request)->training_id();
  client->WatchTraining(id, [](const auto&) { return true; }).IgnoreError();
  const v1::Training training = *client->GetTraining(id);
  EXPECT_EQ(training.state(), v1::TRAINING_STATE_FAILED);
  EXPECT_THAT(training.message(), HasSubstr("--trainer"));
}

}  // namespace
}  // namespace stowage
