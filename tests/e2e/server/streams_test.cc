// Runs Place streams beside one another: clients that do not read their answers
// cost the others nothing.
#include <algorithm>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "gtest/gtest.h"
#include "stowage/v1/placement.grpc.pb.h"
#include "tests/e2e/server/stowaged_process.h"

namespace stowage {
namespace {

constexpr int kKernels = 4000;

// Asks for the largest window again and again, at a connection of its own, and
// reads no answer.
class StalledClient {
 public:
  StalledClient(const std::string& address, const std::string& plan_id)
      : stub_(v1::PlacementService::NewStub(grpc::CreateCustomChannel(
            address, grpc::InsecureChannelCredentials(), OwnConnection()))),
        stream_(stub_->Place(&context_)),
        thread_([this, plan_id] { Ask(plan_id); }) {}

  ~StalledClient() {
    context_.TryCancel();
    thread_.join();
    stream_->Finish();
  }

 private:
  static grpc::ChannelArguments OwnConnection() {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return arguments;
  }

  void Ask(const std::string& plan_id) {
    v1::PlaceRequest request;
    request.set_plan_id(plan_id);
    request.set_window(1024);
    while (stream_->Write(request)) {
    }
  }

  grpc::ClientContext context_;
  const std::unique_ptr<v1::PlacementService::Stub> stub_;
  const std::unique_ptr<
      grpc::ClientReaderWriter<v1::PlaceRequest, v1::PlaceResponse>>
      stream_;
  std::thread thread_;
};

class StowagedStreamsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(server_.WaitReady()) << server_.output();
    client_ = server_.Connect();
    v1::RegisterGraphRequest registration;
    *registration.mutable_graph() = ChainGraph(kKernels);
    v1::MakePlanRequest request;
    request.set_graph_id(client_->RegisterGraph(registration)->graph_id());
    *request.mutable_system() = TwoTiers();
    request.set_fast_limit_bytes(3 * kChainTensorBytes);
    request.set_policy("belady");
    const auto made = client_->MakePlan(request);
    ASSERT_TRUE(made.ok()) << made.status();
    plan_id_ = made->plan_id();
  }

  // Returns the latencies of so many exchanges of one stream, ascending.
  std::vector<absl::Duration> Latencies(int count) {
    std::unique_ptr<PlaceStream> stream = client_->Place();
    std::vector<absl::Duration> latencies;
    for (int i = 0; i < count; ++i) {
      v1::PlaceRequest request;
      request.set_plan_id(plan_id_);
      request.set_kernel(i % kKernels);
      request.set_window(16);
      const absl::Time start = absl::Now();
      EXPECT_TRUE(stream->Send(request).ok());
      latencies.push_back(absl::Now() - start);
    }
    std::sort(latencies.begin(), latencies.end());
    return latencies;
  }

  StowagedProcess server_;
  std::unique_ptr<Client> client_;
  std::string plan_id_;
};

TEST_F(StowagedStreamsTest, ClientsThatDoNotReadDelayNobody) {
  constexpr int kExchanges = 300;
  std::vector<std::unique_ptr<StalledClient>> stalled;
  for (int i = 0; i < 20; ++i) {
    stalled.push_back(
        std::make_unique<StalledClient>(server_.grpc_address(), plan_id_));
  }
  const std::vector<absl::Duration> beside = Latencies(kExchanges);
  // Far more than they take, for a busy machine; with a plan read for each
  // stream and windows encoded for each answer it was 4 s.
  EXPECT_LT(beside[kExchanges / 2], absl::Milliseconds(50));
  EXPECT_LT(beside.back(), absl::Seconds(1));
}

}  // namespace
}  // namespace stowage
