#include "server/rpc/exchange_stream.h"

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "gtest/gtest.h"
#include "stowage/v1/placement.grpc.pb.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;

using Stream = ExchangeStream<v1::PlaceRequest, v1::PlaceResponse>;
using ClientStream =
    grpc::ClientReaderWriter<v1::PlaceRequest, v1::PlaceResponse>;

class StreamingService final
    : public v1::PlacementService::WithRawCallbackMethod_Place<
          v1::PlacementService::Service> {
 public:
  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Place(
      grpc::CallbackServerContext*) override {
    return new Stream(&streams, shares.Take("all"), answer,
                      [this](const absl::Status& status) {
                        absl::MutexLock lock(&mutex);
                        ends.push_back(status);
                      });
  }

  StreamRegistry streams;
  StreamShares shares{0};
  absl::Mutex mutex;
  std::vector<absl::Status> ends ABSL_GUARDED_BY(mutex);  // of the streams
  // Answers with the kernel that it was asked for.
  Stream::Answer answer = [](const v1::PlaceRequest& request,
                             absl::Time /*arrived*/) {
    v1::PlaceResponse response;
    response.add_decisions()->set_kernel(request.kernel());
    return absl::StatusOr<v1::PlaceResponse>(response);
  };
};

class ExchangeStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    grpc::ServerBuilder builder;
    builder.RegisterService(&service_);
    server_ = builder.BuildAndStart();
    stub_ = v1::PlacementService::NewStub(
        server_->InProcessChannel(grpc::ChannelArguments()));
  }

  // Returns the kernel that comes back; -1 if the stream is over.
  static int Ask(ClientStream& stream, int kernel) {
    v1::PlaceRequest request;
    request.set_kernel(kernel);
    v1::PlaceResponse response;
    if (!stream.Write(request) || !stream.Read(&response)) return -1;
    return response.decisions(0).kernel();
  }

  StreamingService service_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<v1::PlacementService::Stub> stub_;
};

TEST_F(ExchangeStreamTest, AnswersEachRequestAndEndsWhenTheClientHangsUp) {
  grpc::ClientContext context;
  auto stream = stub_->Place(&context);
  for (int kernel : {3, 1, 2}) EXPECT_EQ(Ask(*stream, kernel), kernel);
  stream->WritesDone();
  EXPECT_TRUE(stream->Finish().ok());
}

TEST_F(ExchangeStreamTest, EndsWithTheErrorOfTheFirstRequestItCannotAnswer) {
  service_.answer = [](const v1::PlaceRequest&, absl::Time /*arrived*/) {
    return absl::StatusOr<v1::PlaceResponse>(absl::NotFoundError("no plan"));
  };
  grpc::ClientContext context;
  auto stream = stub_->Place(&context);
  EXPECT_EQ(Ask(*stream, 1), -1);
  const grpc::Status status = stream->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::NOT_FOUND);
  EXPECT_EQ(status.error_message(), "no plan");
}

TEST_F(ExchangeStreamTest, TellsOnceWithWhatItEnds) {
  service_.answer = [](const v1::PlaceRequest&, absl::Time /*arrived*/) {
    return absl::NotFoundError("no such plan");
  };
  for (int i = 0; i < 2; ++i) {
    grpc::ClientContext context;
    auto stream = stub_->Place(&context);
    if (i == 1) {
      EXPECT_EQ(Ask(*stream, 1), -1);
    }
    stream->WritesDone();
    stream->Finish();
  }
  server_->Shutdown();
  absl::MutexLock lock(&service_.mutex);
  EXPECT_THAT(service_.ends, ElementsAre(absl::OkStatus(),
                                         absl::NotFoundError("no such plan")));
}

// A client that sends bytes sees a stream of messages as one of bytes.
TEST_F(ExchangeStreamTest, EndsWithTheErrorOfARequestThatCannotBeRead) {
  grpc::ClientContext context;
  grpc::CompletionQueue queue;
  grpc::GenericStub stub(server_->InProcessChannel(grpc::ChannelArguments()));
  auto stream =
      stub.PrepareCall(&context, "/stowage.v1.PlacementService/Place", &queue);
  void* tag = nullptr;
  bool ok = false;
  stream->StartCall(nullptr);
  queue.Next(&tag, &ok);
  const grpc::Slice garbage("\x0a\x7f");
  stream->Write(grpc::ByteBuffer(&garbage, 1), nullptr);
  queue.Next(&tag, &ok);
  grpc::Status status;
  stream->Finish(&status, nullptr);
  queue.Next(&tag, &ok);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message().find("the request cannot be read as a "
                                        "stowage.v1.PlaceRequest"),
            0)
      << status.error_message();
}

TEST_F(ExchangeStreamTest, DrainingEndsIdleStreamsWithUnavailable) {
  grpc::ClientContext context;
  auto stream = stub_->Place(&context);
  EXPECT_EQ(Ask(*stream, 1), 1);
  service_.streams.DrainAll();
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ExchangeStreamTest, StreamsOpenedWhileDrainingEndAtOnce) {
  service_.streams.DrainAll();
  grpc::ClientContext context;
  auto stream = stub_->Place(&context);
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ExchangeStreamTest,
       WithoutAShareItEndsAtOnceAndItsEndGivesTheShareBack) {
  service_.shares.SetLimit(1);
  {
    grpc::ClientContext first_context;
    const auto first = stub_->Place(&first_context);
    EXPECT_EQ(Ask(*first, 1), 1);
    grpc::ClientContext second_context;
    const auto second = stub_->Place(&second_context);
    EXPECT_EQ(Ask(*second, 2), -1);
    EXPECT_EQ(second->Finish().error_code(),
              grpc::StatusCode::RESOURCE_EXHAUSTED);
    first->WritesDone();
    EXPECT_TRUE(first->Finish().ok());
  }
  // The client may hear of the end before the stream is deleted.
  while (!service_.shares.Take("all").ok()) std::this_thread::yield();
}

TEST_F(ExchangeStreamTest, DrainingWhileARequestIsAnsweredIsSafe) {
  // The stream may end before the answer does, which then still needs them.
  const auto answering = std::make_shared<absl::Notification>();
  const auto released = std::make_shared<absl::Notification>();
  service_.answer = [answering, released](const v1::PlaceRequest&,
                                          absl::Time /*arrived*/) {
    answering->Notify();
    released->WaitForNotification();
    return absl::StatusOr<v1::PlaceResponse>(v1::PlaceResponse());
  };
  grpc::ClientContext context;
  auto stream = stub_->Place(&context);
  stream->Write(v1::PlaceRequest());
  answering->WaitForNotification();
  service_.streams.DrainAll();
  released->Notify();
  v1::PlaceResponse response;
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
}

TEST_F(ExchangeStreamTest, SurvivesClientsThatVanishAndADrainInTheirMidst) {
  std::vector<std::thread> clients;
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&] {
      for (int n = 0; n < 20; ++n) {
        grpc::ClientContext context;
        auto stream = stub_->Place(&context);
        Ask(*stream, n);
        if (n % 2 == 0) context.TryCancel();
        stream->WritesDone();
        stream->Finish();
      }
    });
  }
  service_.streams.DrainAll();
  for (std::thread& client : clients) client.join();
}

}  // namespace
}  // namespace stowage
