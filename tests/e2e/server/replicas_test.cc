// Runs replicas of the service on one PostgreSQL database.
#include "tests/e2e/server/replicas.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "tests/unit/network/tcp_connection.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int kKernels = 12;

v1::RegisterGraphRequest Registration(int number = 0) {
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(kKernels);
  request.mutable_graph()->mutable_tensors(0)->set_size_bytes(1 + number);
  return request;
}

v1::MakePlanRequest PlanOf(const std::string& graph_id) {
  v1::MakePlanRequest request;
  request.set_graph_id(graph_id);
  *request.mutable_system() = TwoTiers();
  request.set_fast_limit_bytes(kLimitBytes);
  request.set_policy("belady");
  return request;
}

v1::StartTrainingRequest TrainingOf(const std::string& graph_id, int episodes) {
  v1::StartTrainingRequest request;
  request.set_request_id("train");
  request.set_graph_id(graph_id);
  *request.mutable_system() = TwoTiers();
  request.set_fast_limit_bytes(kLimitBytes);
  request.mutable_options()->set_episodes(episodes);
  return request;
}

v1::Job JobOf(const std::string& node) {
  v1::Job job;
  job.set_job_id("job");
  job.set_node(node);
  return job;
}

void Register(Client& client, const std::string& node) {
  v1::RegisterNodeRequest request;
  request.set_node(node);
  *request.mutable_system() = TwoTiers();
  ASSERT_TRUE(client.RegisterNode(request).ok());
}

TEST(ReplicasTest, AnyOfThemServesAnyRequest) {
  const Replicas replicas(2);
  const auto first = replicas.ConnectTo(0);
  const auto second = replicas.ConnectTo(1);
  const auto registered = first->RegisterGraph(Registration());
  ASSERT_TRUE(registered.ok()) << registered.status();
  const auto made = second->MakePlan(PlanOf(registered->graph_id()));
  ASSERT_TRUE(made.ok()) << made.status();
  const auto plan = first->GetPlan(made->plan_id());
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->SerializeAsString(), made->plan().SerializeAsString());
  v1::PlaceRequest place;
  place.set_plan_id(made->plan_id());
  EXPECT_TRUE(first->Place()->Send(place).ok());

  Register(*first, "node");
  ASSERT_TRUE(first->StartJob(JobOf("node")).ok());
  while (!second->GetJob("job").ok()) absl::SleepFor(absl::Milliseconds(10));
  v1::ResizeJobRequest resize;
  resize.set_job_id("job");
  resize.set_fast_limit_bytes(1 << 20);
  ASSERT_TRUE(second->ResizeJob(resize).ok());
  v1::HeartbeatRequest heartbeat;
  heartbeat.set_node("node");
  for (;;) {
    const auto answer = first->Heartbeat(heartbeat);
    ASSERT_TRUE(answer.ok()) << answer.status();
    if (answer->orders_size() == 1) break;
    absl::SleepFor(absl::Milliseconds(10));
  }
  EXPECT_EQ(second->ListNodes()->size(), 1);
}

TEST(ReplicasTest, AClientGoesOnWithAnotherOneWhenItsOwnIsKilledOrHangs) {
  Replicas replicas(2);
  const auto client = replicas.Connect({.deadline = absl::Seconds(3)});
  const std::string graph_id =
      client->RegisterGraph(Registration())->graph_id();
  replicas.Kill(0);
  EXPECT_TRUE(client->GetGraph(graph_id).ok());
  replicas.Start(0);
  // Its own is the second now.
  replicas.process(1).Signal(SIGSTOP);
  const absl::Status hangs = client->GetGraph(graph_id).status();
  EXPECT_TRUE(absl::IsDeadlineExceeded(hangs)) << hangs;
  EXPECT_TRUE(client->GetGraph(graph_id).ok());
  replicas.process(1).Signal(SIGCONT);
}

TEST(ReplicasTest, ARollingRestartLosesNoRequest) {
  Replicas replicas(2);
  std::atomic<bool> done = false;
  std::atomic<int> registered = 0;
  std::thread load([&] {
    const auto client = replicas.Connect();
    while (!done) {
      const auto graph = client->RegisterGraph(Registration(registered));
      EXPECT_TRUE(graph.ok()) << graph.status();
      if (!graph.ok()) break;
      const auto made = client->MakePlan(PlanOf(graph->graph_id()));
      EXPECT_TRUE(made.ok()) << made.status();
      if (!made.ok()) break;
      ++registered;
    }
    done = true;
  });
  for (int round = 0; round < 3; ++round) {
    for (const int number : {0, 1}) {
      const int before = registered;
      replicas.Terminate(number);
      replicas.Start(number);
      while (!done && registered < before + 5) std::this_thread::yield();
    }
  }
  done = true;
  load.join();
  EXPECT_EQ(replicas.Connect()->ListGraphs()->size(), registered);
}

TEST(ReplicasTest, ATrainingWhoseReplicaIsKilledGoesOnElsewhere) {
  Replicas replicas(2);
  const auto client = replicas.Connect();
  const std::string graph_id =
      client->RegisterGraph(Registration())->graph_id();
  const int64_t id =
      client->StartTraining(TrainingOf(graph_id, 60))->training_id();
  // The replica that trains tells of episodes before the others know of them.
  client
      ->WatchTraining(id,
                      [](const v1::TrainingEvent& event) {
                        return event.training().last_episode().episode() < 10 &&
                               event.episode().episode() < 10;
                      })
      .IgnoreError();
  const int trains =
      Fetch(replicas.process(0).metrics_address(), "GET", "/metrics")
                  .find("stowaged_trainings_running 1") != std::string::npos
          ? 0
          : 1;
  replicas.Kill(trains);
  const auto other = replicas.ConnectTo(1 - trains);
  int first_episode = 0;
  const absl::Status watched =
      other->WatchTraining(id, [&](const v1::TrainingEvent& event) {
        if (first_episode == 0) first_episode = event.episode().episode();
        return true;
      });
  EXPECT_TRUE(watched.ok()) << watched;
  EXPECT_EQ(other->GetTraining(id)->state(), v1::TRAINING_STATE_SUCCEEDED);
  EXPECT_GT(first_episode, 10);
  EXPECT_EQ(other->ListVersions(graph_id)->size(), 1);
}

TEST(ReplicasTest, PostgresMayGoAndComeBack) {
  Replicas replicas(1);
  const auto client = replicas.ConnectTo(0, {.max_attempts = 1});
  const std::string graph_id =
      client->RegisterGraph(Registration())->graph_id();
  const std::string metrics = replicas.process(0).metrics_address();
  replicas.postgres().Kill();
  const absl::Status gone = client->GetGraph(graph_id).status();
  EXPECT_TRUE(absl::IsUnavailable(gone)) << gone;
  EXPECT_THAT(std::string(gone.message()), HasSubstr("try again"));
  EXPECT_THAT(Fetch(metrics, "GET", "/readyz"), HasSubstr(" 503 "));
  EXPECT_THAT(Fetch(metrics, "GET", "/healthz"), HasSubstr(" 200 "));
  // Nodes do not die of it.
  v1::RegisterNodeRequest node;
  node.set_node("node");
  *node.mutable_system() = TwoTiers();
  EXPECT_TRUE(client->RegisterNode(node).ok());
  replicas.postgres().Start();
  EXPECT_TRUE(client->GetGraph(graph_id).ok());
  EXPECT_THAT(Fetch(metrics, "GET", "/readyz"), HasSubstr(" 200 "));
}

TEST(ReplicasTest, MetricsAndProbesDoNotWaitForADatabaseThatHangs) {
  Replicas replicas(1);
  const std::string metrics = replicas.process(0).metrics_address();
  EXPECT_THAT(Fetch(metrics, "GET", "/metrics"),
              HasSubstr("stowaged_graphs 0"));
  replicas.postgres().Signal(SIGSTOP);
  const absl::Time begin = SteadyNow();
  EXPECT_THAT(Fetch(metrics, "GET", "/metrics"),
              AllOf(HasSubstr("stowaged_graphs Nan"),
                    HasSubstr("stowaged_policy_versions Nan")));
  EXPECT_THAT(Fetch(metrics, "GET", "/readyz"),
              AllOf(HasSubstr(" 503 "), HasSubstr("has not answered for 3s")));
  // Less than one time-out of the database.
  EXPECT_LT(SteadyNow() - begin, absl::Seconds(12));
  replicas.postgres().Signal(SIGCONT);
  while (!absl::StrContains(Fetch(metrics, "GET", "/readyz"), " 200 ")) {
  }
}

TEST(ReplicasTest, PostgresIsBackedUpWhileItServesAndRestored) {
  Replicas replicas(1);
  const auto client = replicas.Connect();
  const std::string graph_id =
      client->RegisterGraph(Registration())->graph_id();
  const TemporaryDirectory directory;
  const std::string dump = directory.path() + "/stowage.dump";
  ASSERT_EQ(std::system(absl::StrCat("pg_dump --format=custom --file=", dump,
                                     " '", replicas.url(), "'")
                            .c_str()),
            0);
  const std::string copy = replicas.postgres().NewDatabase();
  ASSERT_EQ(
      std::system(
          absl::StrCat("pg_restore --dbname='", copy, "' ", dump).c_str()),
      0);
  StowagedProcess restored({"--db=" + copy});
  ASSERT_TRUE(restored.WaitReady()) << restored.output();
  EXPECT_TRUE(restored.Connect()->GetGraph(graph_id).ok());
}

TEST(ReplicasTest, TheSecretOfTheDatabaseStaysOutOfTheLog) {
  StowagedProcess server(
      {"--db=postgresql://stowage:hush@127.0.0.1:1/stowage"});
  EXPECT_EQ(server.Wait(), 2);
  EXPECT_THAT(
      server.output(),
      AllOf(HasSubstr("postgresql://stowage@127.0.0.1:1/stowage"),
            HasSubstr("check that PostgreSQL runs"), Not(HasSubstr("hush"))));
}

}  // namespace
}  // namespace stowage
