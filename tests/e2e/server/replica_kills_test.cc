// Kills replicas of the service at random under load, and checks that nothing
// that was acknowledged is lost, that no decision is wrong, and that each
// training ends once. STOWAGE_KILLS says how often; docs/measurements.md has
// the results of long runs.
#include <atomic>
#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "tests/e2e/server/replicas.h"

namespace stowage {
namespace {

constexpr int kKernels = 12;
constexpr int kEpisodes = 5;

int Kills() {
  const char* kills = std::getenv("STOWAGE_KILLS");
  return kills == nullptr ? 4 : std::atoi(kills);
}

v1::RegisterGraphRequest Registration(int number) {
  v1::RegisterGraphRequest request;
  *request.mutable_graph() = ChainGraph(kKernels);
  request.mutable_graph()->mutable_tensors(0)->set_size_bytes(1 + number);
  return request;
}

// Asks for all decisions of a plan, on one stream. Returns nothing if the
// stream broke.
std::string Decisions(Client& client, const std::string& plan_id) {
  std::string decisions;
  const std::unique_ptr<PlaceStream> stream = client.Place();
  for (int kernel = 0; kernel < kKernels; ++kernel) {
    v1::PlaceRequest request;
    request.set_plan_id(plan_id);
    request.set_kernel(kernel);
    const auto response = stream->Send(request);
    if (!response.ok()) {
      EXPECT_TRUE(absl::IsUnavailable(response.status())) << response.status();
      return "";
    }
    decisions += response->SerializeAsString();
  }
  return decisions;
}

// Calls until a call succeeds; each may meet a replica that is being killed.
template <typename Call>
auto Insist(Call call) {
  for (;;) {
    auto result = call();
    if (result.ok()) return result;
    EXPECT_TRUE(absl::IsUnavailable(result.status()) ||
                absl::IsDeadlineExceeded(result.status()))
        << result.status();
  }
}

class ReplicaKillsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Client> Connect() {
    return replicas_.Connect({.deadline = absl::Seconds(20)});
  }

  v1::MakePlanRequest PlanOf(const std::string& graph_id) {
    v1::MakePlanRequest request;
    request.set_graph_id(graph_id);
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(kLimitBytes);
    request.set_policy("belady");
    return request;
  }

  // Stores graphs and plans, and looks at all decisions of older ones.
  void Place(int thread) {
    const auto client = Connect();
    std::mt19937 random(thread);
    std::vector<std::string> mine;
    for (int i = 0; !done_; ++i) {
      const std::string graph_id =
          Insist([&] {
            return client->RegisterGraph(Registration(thread * 1'000'000 + i));
          })->graph_id();
      const auto made =
          Insist([&] { return client->MakePlan(PlanOf(graph_id)); });
      std::string decisions;
      while (decisions.empty()) {
        decisions = Decisions(*client, made->plan_id());
      }
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        plans_[made->plan_id()] = {made->plan().SerializeAsString(), decisions};
      }
      mine.push_back(made->plan_id());
      Check(*client, mine[random() % mine.size()]);
      ++placed_;
    }
  }

  // Compares a plan and its decisions with what they were.
  void Check(Client& client, const std::string& plan_id) {
    Acknowledged known;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      known = plans_.at(plan_id);
    }
    const auto plan = Insist([&] { return client.GetPlan(plan_id); });
    EXPECT_EQ(plan->SerializeAsString(), known.plan) << plan_id;
    std::string decisions;
    while (decisions.empty()) decisions = Decisions(client, plan_id);
    EXPECT_EQ(decisions, known.decisions) << plan_id;
  }

  // Trains one policy after the other, for a graph of its own each.
  void Train() {
    const auto client = Connect();
    for (int i = 0; !done_; ++i) {
      v1::StartTrainingRequest request;
      request.set_request_id(absl::StrCat("training-", i));
      request.set_graph_id(Insist([&] {
                             return client->RegisterGraph(
                                 Registration(9'000'000 + i));
                           })->graph_id());
      *request.mutable_system() = TwoTiers();
      request.set_fast_limit_bytes(kLimitBytes);
      request.mutable_options()->set_episodes(kEpisodes);
      const int64_t id =
          Insist([&] { return client->StartTraining(request); })->training_id();
      trainings_[id] = request.graph_id();
      while (!done_ && IsUnfinished(*client, id)) {
        absl::SleepFor(absl::Milliseconds(50));
      }
    }
  }

  bool IsUnfinished(Client& client, int64_t training_id) {
    const auto training =
        Insist([&] { return client.GetTraining(training_id); });
    return training->state() == v1::TRAINING_STATE_QUEUED ||
           training->state() == v1::TRAINING_STATE_RUNNING;
  }

  // Resizes a job, whose agent never obeys.
  void Resize() {
    const auto client = Connect();
    v1::RegisterNodeRequest node;
    node.set_node("node");
    *node.mutable_system() = TwoTiers();
    v1::Job job;
    job.set_job_id("job");
    job.set_node("node");
    v1::ResizeJobRequest request;
    request.set_job_id("job");
    for (int i = 1; !done_; ++i) {
      EXPECT_TRUE(Insist([&] { return client->RegisterNode(node); }).ok());
      // The replica may have been killed since the node was registered.
      if (!client->StartJob(job).ok()) continue;
      request.set_fast_limit_bytes(i);
      const auto resized = client->ResizeJob(request);
      if (resized.ok()) resized_bytes_ = i;
      absl::SleepFor(absl::Milliseconds(20));
    }
  }

  struct Acknowledged {
    std::string plan;
    std::string decisions;
  };

  Replicas replicas_{2};
  std::atomic<bool> done_ = false;
  std::atomic<int> placed_ = 0;
  std::mutex mutex_;
  std::map<std::string, Acknowledged> plans_;
  std::map<int64_t, std::string> trainings_;  // their graphs
  int64_t resized_bytes_ = 0;
};

TEST_F(ReplicaKillsTest, NothingIsLostWrongOrDoneTwice) {
  std::vector<std::thread> load;
  for (const int thread : {1, 2}) {
    load.emplace_back([this, thread] { Place(thread); });
  }
  load.emplace_back([this] { Train(); });
  load.emplace_back([this] { Resize(); });
  std::mt19937 random(std::random_device{}());
  for (int kill = 0; kill < Kills(); ++kill) {
    absl::SleepFor(absl::Milliseconds(random() % 2000));
    const int number = static_cast<int>(random() % 2);
    replicas_.Kill(number);
    absl::SleepFor(absl::Milliseconds(random() % 1000));
    replicas_.Start(number);
  }
  const int before = placed_;
  while (placed_ < before + 4) absl::SleepFor(absl::Milliseconds(10));
  done_ = true;
  for (std::thread& thread : load) thread.join();

  for (const int number : {0, 1}) {
    const auto client = replicas_.ConnectTo(number);
    for (const auto& [plan_id, known] : plans_) Check(*client, plan_id);
    for (const auto& [training_id, graph_id] : trainings_) {
      while (IsUnfinished(*client, training_id)) {
        absl::SleepFor(absl::Milliseconds(50));
      }
      const v1::Training training = *client->GetTraining(training_id);
      EXPECT_EQ(training.state(), v1::TRAINING_STATE_SUCCEEDED)
          << training.message();
      EXPECT_EQ(client->ListVersions(graph_id)->size(), 1) << graph_id;
    }
    absl::SleepFor(absl::Seconds(2));  // by then each replica has read it
    EXPECT_EQ(client->GetJob("job")->resize().fast_limit_bytes(),
              resized_bytes_);
  }
  std::cout << Kills() << " kills: " << plans_.size() << " plans, "
            << trainings_.size() << " trainings, " << resized_bytes_
            << " resizes acknowledged" << std::endl;
}

}  // namespace
}  // namespace stowage
