// Schedules over the wire: estimates of jobs, rankings of nodes, reservations.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/random/random.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/e2e/server/replicas.h"
#include "tests/e2e/server/stowaged_process.h"
#include "tests/unit/network/tcp_connection.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kNodeBytes = int64_t{64} << 20;
// Weights and two activations.
constexpr int64_t kPeakBytes = 3 * kChainTensorBytes;

// Two tiers of which the slow one is far slower, and not addressable.
v1::MemorySystem FileSystem(int64_t bytes_per_second = 100'000'000) {
  v1::MemorySystem system = TwoTiers();
  system.mutable_tiers(1)->set_addressable(false);
  for (v1::BandwidthPoint* point :
       {system.mutable_tiers(1)->mutable_read(0),
        system.mutable_tiers(1)->mutable_write(0)}) {
    point->set_bytes_per_second(bytes_per_second);
  }
  return system;
}

v1::RegisterNodeRequest Node(const std::string& name,
                             int64_t bytes_per_second = 100'000'000) {
  v1::RegisterNodeRequest request;
  request.set_node(name);
  *request.mutable_system() = FileSystem(bytes_per_second);
  request.set_fast_total_bytes(kNodeBytes);
  return request;
}

v1::ReserveRequest Reserve(const std::string& id, int64_t fast_bytes,
                           const std::string& node = "n1") {
  v1::ReserveRequest request;
  request.set_request_id(id);
  request.set_node(node);
  request.set_fast_bytes(fast_bytes);
  return request;
}

std::string RegisterChain(Client& client, int kernels) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(kernels);
  return client.RegisterGraph(registration)->graph_id();
}

int64_t SumOf(const std::vector<v1::Reservation>& reservations) {
  int64_t sum_bytes = 0;
  for (const v1::Reservation& reservation : reservations) {
    sum_bytes += reservation.fast_bytes();
  }
  return sum_bytes;
}

class StowagedSchedulingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
  }

  v1::EstimateJobRequest Estimate(const std::string& graph_id) {
    v1::EstimateJobRequest request;
    request.set_graph_id(graph_id);
    *request.mutable_system() = FileSystem();
    return request;
  }

  StowagedProcess server_;
  std::unique_ptr<Client> client_;
};

TEST_F(StowagedSchedulingTest, AnEstimateSaysWhichLimitsWorkAndHowWell) {
  const std::string graph_id = RegisterChain(*client_, 40);
  const auto job = client_->EstimateJob(Estimate(graph_id));
  ASSERT_TRUE(job.ok()) << job.status();
  EXPECT_EQ(job->peak_bytes(), kPeakBytes);
  EXPECT_NEAR(job->all_fast_ns(), 40'000'000, 400);
  EXPECT_GE(job->points_size(), 2);
  EXPECT_EQ(job->goals_size(), 3);
  EXPECT_EQ(job->points().rbegin()->step_time_ns(), 40'000'000);

  v1::MakePlanRequest plan;
  plan.set_graph_id(graph_id);
  *plan.mutable_system() = FileSystem();
  plan.set_fast_limit_bytes(job->least_limit_bytes());
  EXPECT_TRUE(client_->MakePlan(plan).ok());
  plan.set_fast_limit_bytes(job->least_limit_bytes() * 99 / 100);
  EXPECT_TRUE(absl::IsFailedPrecondition(client_->MakePlan(plan).status()));
}

TEST_F(StowagedSchedulingTest, AnEstimateTakesASecondAndTheNextOneNoTime) {
  const std::string graph_id = RegisterChain(*client_, 2000);
  absl::Time begin = SteadyNow();
  ASSERT_TRUE(client_->EstimateJob(Estimate(graph_id)).ok());
  // A busy machine with sanitizers takes a multiple.
  EXPECT_LT(SteadyNow() - begin, absl::Seconds(20));
  begin = SteadyNow();
  ASSERT_TRUE(client_->EstimateJob(Estimate(graph_id)).ok());
  EXPECT_LT(SteadyNow() - begin, absl::Seconds(1));
}

TEST_F(StowagedSchedulingTest, RefusesWhatMakesNoSense) {
  const std::string graph_id = RegisterChain(*client_, 4);
  v1::EstimateJobRequest request = Estimate(std::string(64, 'a'));
  EXPECT_TRUE(absl::IsNotFound(client_->EstimateJob(request).status()));
  request = Estimate(graph_id);
  request.set_points(1);
  EXPECT_THAT(client_->EstimateJob(request).status().message(),
              HasSubstr("points is 1"));
  request = Estimate(graph_id);
  request.add_speeds(0);
  EXPECT_THAT(client_->EstimateJob(request).status().message(),
              HasSubstr("a speed is 0"));
  request = Estimate(graph_id);
  request.set_policy("deeptm");
  EXPECT_TRUE(absl::IsInvalidArgument(client_->EstimateJob(request).status()));
  request = Estimate(graph_id);
  request.clear_system();
  EXPECT_THAT(client_->EstimateJob(request).status().message(),
              HasSubstr("no memory system"));
  request = Estimate(graph_id);
  request.mutable_system()->mutable_tiers(0)->set_capacity_bytes(4096);
  EXPECT_TRUE(
      absl::IsFailedPrecondition(client_->EstimateJob(request).status()));
}

TEST_F(StowagedSchedulingTest, RanksTheNodesThatAreAlive) {
  const std::string graph_id = RegisterChain(*client_, 40);
  ASSERT_TRUE(client_->RegisterNode(Node("slow", 50'000'000)).ok());
  ASSERT_TRUE(client_->RegisterNode(Node("quick", 900'000'000)).ok());
  v1::RankNodesRequest request;
  request.set_graph_id(graph_id);
  request.set_fast_bytes(kLimitBytes);
  const auto ranked = client_->RankNodes(request);
  ASSERT_TRUE(ranked.ok()) << ranked.status();
  ASSERT_EQ(ranked->nodes_size(), 2);
  EXPECT_EQ(ranked->nodes(0).node(), "quick");
  EXPECT_LT(ranked->nodes(0).predicted_step_time_ns(),
            ranked->nodes(1).predicted_step_time_ns());
  EXPECT_EQ(ranked->nodes(0).total_fast_bytes(), kNodeBytes);
}

TEST_F(StowagedSchedulingTest, AFullNodeIsNotRankedAndSaysSo) {
  ASSERT_TRUE(client_->RegisterNode(Node("n1")).ok());
  ASSERT_TRUE(client_->RegisterNode(Node("n2")).ok());
  ASSERT_TRUE(client_->Reserve(Reserve("a", kNodeBytes)).ok());
  v1::RankNodesRequest request;
  request.set_fast_bytes(1 << 20);
  v1::RankNodesResponse ranked;
  do {  // until the service has looked at its reservations
    ranked = *client_->RankNodes(request);
  } while (ranked.full() == 0);
  EXPECT_EQ(ranked.suitable(), 1);
  EXPECT_EQ(ranked.nodes(0).node(), "n2");
  EXPECT_TRUE(
      absl::IsResourceExhausted(client_->Reserve(Reserve("b", 1)).status()));
}

TEST_F(StowagedSchedulingTest, AReservationIsRenewedListedAndReleased) {
  ASSERT_TRUE(client_->RegisterNode(Node("n1")).ok());
  const auto reserved = client_->Reserve(Reserve("a", 1 << 20));
  ASSERT_TRUE(reserved.ok()) << reserved.status();
  EXPECT_EQ(reserved->lease_ms(), 60'000);
  EXPECT_EQ(client_->Reserve(Reserve("a", 1 << 20))->reservation_id(),
            reserved->reservation_id());
  const auto renewed =
      client_->RenewReservation(reserved->reservation_id(), "");
  ASSERT_TRUE(renewed.ok()) << renewed.status();
  EXPECT_TRUE(renewed->node_alive());
  EXPECT_EQ(client_->ListReservations("n1")->size(), 1);
  std::string metrics;
  do {  // until the service has looked
    metrics = Fetch(server_.metrics_address(), "GET", "/metrics");
  } while (metrics.find("stowaged_reservations 1") == std::string::npos);
  EXPECT_THAT(metrics, HasSubstr("stowaged_reserved_bytes 1048576"));
  EXPECT_TRUE(client_->ListReservations("n2")->empty());
  EXPECT_TRUE(client_->ReleaseReservation(reserved->reservation_id()).ok());
  EXPECT_TRUE(client_->ReleaseReservation(reserved->reservation_id()).ok());
  EXPECT_TRUE(absl::IsNotFound(
      client_->RenewReservation(reserved->reservation_id(), "").status()));
}

TEST_F(StowagedSchedulingTest, AnAgentTwoVersionsAwayIsToldToUpgrade) {
  v1::RegisterNodeRequest node = Node("n1");
  node.set_agent_version("0.2.0");
  EXPECT_TRUE(client_->RegisterNode(node).ok());
  node.set_agent_version("0.3.0");
  const absl::Status refused = client_->RegisterNode(node).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(refused.message(), HasSubstr("upgrade the service"));
}

// Asks as a Kubernetes scheduler asks its extender.
class StowagedExtenderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    ASSERT_TRUE(client_->RegisterNode(Node("slow", 50'000'000)).ok());
    ASSERT_TRUE(client_->RegisterNode(Node("quick", 900'000'000)).ok());
  }

  nlohmann::json Post(const std::string& path, const nlohmann::json& args) {
    const std::string body = args.dump();
    TcpConnection connection(server_.extender_address());
    connection.Send(absl::StrCat("POST ", path,
                                 " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                                 "Content-Length: ",
                                 body.size(), "\r\n\r\n", body));
    const std::string answer = connection.ReceiveAll();
    const size_t head = answer.find("\r\n\r\n");
    return nlohmann::json::parse(answer.substr(head + 4), nullptr,
                                 /*allow_exceptions=*/false);
  }

  // Returns ExtenderArgs for a pod with these annotations.
  static nlohmann::json Args(const nlohmann::json& annotations) {
    return {{"Pod", {{"metadata", {{"annotations", annotations}}}}},
            {"Nodes", nullptr},
            {"NodeNames", {"slow", "quick", "gone"}}};
  }

  StowagedProcess server_{{"--extender-address=127.0.0.1:0"}};
  std::unique_ptr<Client> client_;
};

TEST_F(StowagedExtenderTest, KeepsTheNodesThatSuitAndSaysWhyNotTheOthers) {
  const nlohmann::json kept = Post(
      "/filter", Args({{"stowage.dev/fast-bytes", std::to_string(1 << 20)}}));
  EXPECT_EQ(kept["NodeNames"], nlohmann::json({"slow", "quick"}));
  EXPECT_THAT(kept["FailedAndUnresolvableNodes"]["gone"].get<std::string>(),
              HasSubstr("no agent"));
  const nlohmann::json none =
      Post("/filter",
           Args({{"stowage.dev/fast-bytes", std::to_string(2 * kNodeBytes)}}));
  EXPECT_TRUE(none["NodeNames"].empty());
  EXPECT_THAT(none["FailedAndUnresolvableNodes"]["slow"].get<std::string>(),
              HasSubstr(std::to_string(kNodeBytes)));
}

TEST_F(StowagedExtenderTest, GivesTheFastestNodeTheMost) {
  const std::string graph_id = RegisterChain(*client_, 40);
  const nlohmann::json scores =
      Post("/prioritize",
           Args({{"stowage.dev/graph", graph_id},
                 {"stowage.dev/fast-bytes", std::to_string(kLimitBytes)}}));
  ASSERT_EQ(scores.size(), 3);
  EXPECT_EQ(scores[1]["Host"], "quick");
  EXPECT_EQ(scores[1]["Score"], 10);
  EXPECT_LT(scores[0]["Score"], 10);
  EXPECT_EQ(scores[2]["Score"], 0);
}

TEST_F(StowagedExtenderTest, ReturnsWholeNodesToWhomSentWholeNodes) {
  nlohmann::json args = Args({{"stowage.dev/fast-bytes", "1"}});
  args.erase("NodeNames");
  args["Nodes"] = {
      {"items",
       {{{"metadata", {{"name", "quick"}}}, {"spec", {{"podCIDR", "c"}}}},
        {{"metadata", {{"name", "gone"}}}}}}};
  const nlohmann::json kept = Post("/filter", args);
  ASSERT_EQ(kept["Nodes"]["items"].size(), 1);
  EXPECT_EQ(kept["Nodes"]["items"][0], args["Nodes"]["items"][0]);
}

TEST_F(StowagedExtenderTest, LeavesPodsAloneThatAreNotItsOwn) {
  const nlohmann::json kept = Post("/filter", Args(nlohmann::json::object()));
  EXPECT_EQ(kept["NodeNames"].size(), 3);
}

TEST_F(StowagedExtenderTest, SaysWhatIsWrongWithAPodOrARequest) {
  EXPECT_THAT(
      Post("/filter", Args({{"stowage.dev/fast-bytes", "8Gi"}}))["Error"]
          .get<std::string>(),
      HasSubstr("write a number of bytes"));
  EXPECT_THAT(
      Post("/filter", Args({{"stowage.dev/graph", "nonsense"}}))["Error"]
          .get<std::string>(),
      HasSubstr("nonsense"));
  EXPECT_TRUE(Post("/filter", nlohmann::json::array()).is_discarded());
  EXPECT_TRUE(Post("/filter", {{"Pod", 3}}).is_discarded());
}

// Keeps the clock of a process that preloads jumping_clock.cc.
class JumpingClock {
 public:
  JumpingClock()
      : fd_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    Set(0);
  }
  ~JumpingClock() { close(fd_); }

  void Set(double seconds) {
    EXPECT_EQ(pwrite(fd_, &seconds, sizeof(seconds), 0),
              static_cast<ssize_t>(sizeof(seconds)));
  }

  std::vector<std::string> environment() const {
    return {std::string("LD_PRELOAD=") + JUMPING_CLOCK_PATH,
            "STOWAGE_TEST_CLOCK=" + path_};
  }

 private:
  const TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/clock";
  const int fd_;
};

// Holds what the clients of the storm have in common.
struct Storm {
  std::string address;
  std::atomic<int> reserved = 0;
  std::atomic<int> refused = 0;
  std::atomic<int> crashed = 0;
};

// Returns whether a call may end so because the service's clock was set: gRPC's
// deadlines follow it.
bool IsOfTheClock(const absl::Status& status) {
  return absl::IsDeadlineExceeded(status) || absl::IsCancelled(status) ||
         absl::IsUnavailable(status);
}

// A client that reserves, renews now and then, and releases or crashes, which is
// to say nothing any more.
void RunClient(int number, Storm* storm) {
  const std::unique_ptr<Client> client =
      *Client::Connect(storm->address, {.connect_timeout = absl::Minutes(1)});
  absl::BitGen random;
  v1::ReserveRequest request =
      Reserve(absl::StrCat("client-", number),
              absl::Uniform<int64_t>(random, kNodeBytes / 16, kNodeBytes / 3),
              number % 2 == 0 ? "n1" : "n2");
  request.set_lease_ms(1000);
  const auto reserved = client->Reserve(request);
  if (!reserved.ok()) {
    EXPECT_TRUE(absl::IsResourceExhausted(reserved.status()) ||
                IsOfTheClock(reserved.status()))
        << reserved.status();
    ++storm->refused;
    return;
  }
  ++storm->reserved;
  for (int i = 0; i < 3; ++i) {
    const absl::Status renewed =
        client->RenewReservation(reserved->reservation_id(), "").status();
    EXPECT_TRUE(renewed.ok() || IsOfTheClock(renewed)) << renewed;
  }
  if (absl::Bernoulli(random, 0.3)) {
    ++storm->crashed;
    return;
  }
  const absl::Status released =
      client->ReleaseReservation(reserved->reservation_id());
  EXPECT_TRUE(released.ok() || IsOfTheClock(released)) << released;
}

TEST(StowagedReservationStormTest,
     AThousandClientsThatCrashNeverGetMoreThanThereIsAndLeaveNothing) {
  JumpingClock clock;
  StowagedProcess server({"--heartbeat-interval=1h"}, clock.environment());
  ASSERT_TRUE(server.WaitReady()) << server.output();
  const std::unique_ptr<Client> client = server.Connect();
  ASSERT_TRUE(client->RegisterNode(Node("n1")).ok());
  ASSERT_TRUE(client->RegisterNode(Node("n2")).ok());
  Storm storm = {.address = server.grpc_address()};
  std::atomic<int> next = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 16; ++t) {
    threads.emplace_back([&] {
      for (int i = next++; i < 1000; i = next++) RunClient(i, &storm);
    });
  }
  std::thread watch([&] {
    for (int i = 0; next < 1000; ++i) {
      // Less than the hour of the heartbeats, so that nodes stay alive.
      clock.Set(i % 3 == 0 ? 0 : (i % 3 == 1 ? 1800 : -1800));
      for (const char* node : {"n1", "n2"}) {
        const auto held = client->ListReservations(node);
        EXPECT_TRUE(held.ok() || IsOfTheClock(held.status()));
        if (held.ok()) {
          EXPECT_LE(SumOf(*held), kNodeBytes);
        }
      }
    }
  });
  for (std::thread& thread : threads) thread.join();
  watch.join();
  EXPECT_GT(storm.reserved, 20);
  EXPECT_GT(storm.crashed, 0);
  // Until the leases of those that crashed have ended.
  while (true) {
    const auto held = client->ListReservations("");
    if (held.ok() && held->empty()) break;
    std::this_thread::yield();
  }
}

TEST(StowagedReservationReplicasTest, ReplicasShareReservationsAndTheirEnds) {
  Replicas replicas(2);
  const std::unique_ptr<Client> first = replicas.ConnectTo(0);
  const std::unique_ptr<Client> second = replicas.ConnectTo(1);
  ASSERT_TRUE(first->RegisterNode(Node("n1")).ok());
  v1::ReserveRequest large = Reserve("a", kNodeBytes);
  large.set_lease_ms(1500);
  const auto reserved = first->Reserve(large);
  ASSERT_TRUE(reserved.ok()) << reserved.status();
  absl::Status refused;
  do {  // until the second one has heard of the node
    refused = second->Reserve(Reserve("b", 1)).status();
  } while (absl::IsNotFound(refused));
  EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
  EXPECT_TRUE(second->RenewReservation(reserved->reservation_id(), "").ok());
  replicas.Kill(0);
  while (!second->ListReservations("n1")->empty()) std::this_thread::yield();
  EXPECT_TRUE(second->Reserve(Reserve("b", 1)).ok());
}

}  // namespace
}  // namespace stowage
