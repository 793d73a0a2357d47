#include "client_sdk/cpp/client.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "timing/canceller.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Fails the first calls, then lists five graphs, two a page.
class FakeGraphService final : public v1::GraphService::Service {
 public:
  grpc::Status GetGraph(grpc::ServerContext*, const v1::GetGraphRequest*,
                        v1::GetGraphResponse* response) override {
    if (++calls <= failures) return {failure_code, "not now"};
    response->mutable_graph()->set_name("net");
    return grpc::Status::OK;
  }

  grpc::Status RegisterGraph(grpc::ServerContext*,
                             const v1::RegisterGraphRequest* request,
                             v1::RegisterGraphResponse* response) override {
    if (++calls <= failures) return {failure_code, "not now"};
    response->set_graph_id(absl::StrCat(request->graph().tensors_size()));
    return grpc::Status::OK;
  }

  grpc::Status ListGraphs(grpc::ServerContext*,
                          const v1::ListGraphsRequest* request,
                          v1::ListGraphsResponse* response) override {
    if (pages_repeat) {
      response->set_next_page_token("again");
      return grpc::Status::OK;
    }
    const int first =
        request->page_token().empty() ? 0 : std::stoi(request->page_token());
    for (int i = first; i < std::min(first + 2, 5); ++i) {
      response->add_graphs()->set_graph_id(absl::StrCat(i));
    }
    if (first + 2 < 5) response->set_next_page_token(absl::StrCat(first + 2));
    return grpc::Status::OK;
  }

  grpc::Status DeleteGraph(grpc::ServerContext* context,
                           const v1::DeleteGraphRequest*,
                           v1::DeleteGraphResponse*) override {
    hung_up.WaitForNotification();
    return context->IsCancelled() ? grpc::Status::CANCELLED : grpc::Status::OK;
  }

  // The server's threads run already when a test sets these.
  std::atomic<int> failures = 0;
  std::atomic<grpc::StatusCode> failure_code = grpc::StatusCode::UNAVAILABLE;
  std::atomic<int> calls = 0;
  std::atomic<bool> pages_repeat = false;
  absl::Notification hung_up;
};

// Has too many plans to make the first times. A plan for a hung limit is never
// made.
class FakePlacementService final : public v1::PlacementService::Service {
 public:
  grpc::Status MakePlan(grpc::ServerContext* context,
                        const v1::MakePlanRequest* request,
                        v1::MakePlanResponse* response) override {
    if (request->fast_limit_bytes() == kHungLimitBytes) {
      hangs.Notify();
      may_end.WaitForNotification();
    }
    if (++calls <= failures) {
      context->AddTrailingMetadata("grpc-retry-pushback-ms", "20");
      return {grpc::StatusCode::RESOURCE_EXHAUSTED, "ask again"};
    }
    response->set_plan_id("p");
    return grpc::Status::OK;
  }

  static constexpr int64_t kHungLimitBytes = 1;
  std::atomic<int> failures = 0;
  std::atomic<int> calls = 0;
  absl::Notification hangs;
  absl::Notification may_end;
};

// Answers with bytes that are no message, until the client says no more.
class GarblingNodeService final
    : public v1::NodeService::WithRawCallbackMethod_StreamTelemetry<
          v1::NodeService::Service> {
 public:
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* StreamTelemetry(
      grpc::CallbackServerContext*) override {
    return new Stream;
  }

 private:
  // Deletes itself.
  class Stream final
      : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    Stream() { StartRead(&bytes_); }
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      const grpc::Slice slice("\xff");
      bytes_ = grpc::ByteBuffer(&slice, 1);
      StartWrite(&bytes_);
    }
    void OnWriteDone(bool) override { StartRead(&bytes_); }
    void OnDone() override { delete this; }

   private:
    grpc::ByteBuffer bytes_;
  };
};

class ClientTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int port = 0;
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                             &port);
    builder.RegisterService(&service_);
    builder.RegisterService(&placement_);
    builder.RegisterService(&nodes_);
    server_ = builder.BuildAndStart();
    address_ = absl::StrCat("127.0.0.1:", port);
  }

  std::unique_ptr<Client> Connected(ClientOptions options = {}) {
    options.initial_backoff = absl::Milliseconds(1);
    return *Client::Connect(address_, options);
  }

  FakeGraphService service_;
  FakePlacementService placement_;
  GarblingNodeService nodes_;
  std::unique_ptr<grpc::Server> server_;
  std::string address_;
};

TEST_F(ClientTest, ReturnsWhatTheServiceSays) {
  EXPECT_EQ(Connected()->GetGraph("id")->name(), "net");
}

TEST_F(ClientTest, TriesAgainWhileTheServiceIsUnavailable) {
  service_.failures = 3;
  EXPECT_TRUE(Connected()->GetGraph("id").ok());
  EXPECT_EQ(service_.calls, 4);
}

TEST_F(ClientTest, GivesUpAfterTheLastAttempt) {
  service_.failures = 100;
  const absl::Status status =
      Connected({.max_attempts = 2})->GetGraph("id").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("not now"));
  EXPECT_EQ(service_.calls, 2);
}

TEST_F(ClientTest, DoesNotRepeatWhatCannotGetBetter) {
  service_.failures = 100;
  service_.failure_code = grpc::StatusCode::INVALID_ARGUMENT;
  EXPECT_TRUE(absl::IsInvalidArgument(Connected()->GetGraph("id").status()));
  EXPECT_EQ(service_.calls, 1);
}

TEST_F(ClientTest, AsksForAPlanAgainWhenTheServiceSays) {
  placement_.failures = 2;
  const absl::Time start = absl::Now();
  const auto made = Connected()->MakePlan(v1::MakePlanRequest());
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(placement_.calls, 3);
  EXPECT_GE(absl::Now() - start, absl::Milliseconds(40));
}

TEST_F(ClientTest, SendsLargeGraphsAgain) {
  service_.failures = 1;
  v1::RegisterGraphRequest request;
  for (int i = 0; i < 100'000; ++i) {
    request.mutable_graph()->add_tensors()->set_name("some tensor");
  }
  const auto response = Connected()->RegisterGraph(request);
  ASSERT_TRUE(response.ok()) << response.status();
  EXPECT_EQ(response->graph_id(), "100000");
}

TEST_F(ClientTest, ReadsEveryPage) {
  const auto graphs = Connected()->ListGraphs();
  ASSERT_EQ(graphs->size(), 5);
  EXPECT_EQ(graphs->back().graph_id(), "4");
}

TEST_F(ClientTest, StopsWhereAPageFollowsItself) {
  service_.pages_repeat = true;
  const auto graphs = Connected()->ListGraphs();
  EXPECT_EQ(graphs.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(graphs.status().message()), HasSubstr("no end"));
}

TEST_F(ClientTest, AStreamEndsWithAnAnswerThatCannotBeRead) {
  const std::unique_ptr<Client> client = Connected();
  const std::unique_ptr<TelemetryStream> stream = client->StreamTelemetry();
  const absl::Status status = stream->Send({}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no stowage.v1.TelemetryAck"));
  EXPECT_EQ(stream->Send({}).status(), status);
}

TEST_F(ClientTest, StopsWaitingAtTheDeadline) {
  const absl::Status status =
      Connected({.deadline = absl::Milliseconds(50)})->DeleteGraph("id");
  EXPECT_TRUE(absl::IsDeadlineExceeded(status)) << status;
  service_.hung_up.Notify();
}

TEST_F(ClientTest, ACallThatIsCancelledEndsAtOnceAndIsNotRepeated) {
  const std::unique_ptr<Client> client = Connected();
  Canceller canceller;
  std::thread other([&] {
    placement_.hangs.WaitForNotification();
    canceller.Cancel();
  });
  v1::MakePlanRequest request;
  request.set_fast_limit_bytes(FakePlacementService::kHungLimitBytes);
  EXPECT_TRUE(
      absl::IsCancelled(client->MakePlan(request, &canceller).status()));
  other.join();
  placement_.may_end.Notify();
  EXPECT_TRUE(absl::IsCancelled(
      client->RegisterGraph(v1::RegisterGraphRequest(), &canceller).status()));
  EXPECT_EQ(service_.calls, 0);
}

TEST_F(ClientTest, ConnectNamesTheAddressThatDoesNotAnswer) {
  server_->Shutdown();
  const absl::Status status =
      Client::Connect(address_, {.connect_timeout = absl::Milliseconds(50)})
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr(address_));
}

TEST_F(ClientTest, AMethodTheServiceLacksIsUnimplemented) {
  EXPECT_EQ(Connected()->GetPlan("id").status().code(),
            absl::StatusCode::kUnimplemented);
}

}  // namespace
}  // namespace stowage
