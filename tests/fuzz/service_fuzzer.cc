// Calls every method of the service, streams included, over a socket.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client_sdk/cpp/status.h"
#include "google/protobuf/stubs/logging.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "server/runtime/server.h"
#include "server/storage/open_database.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/service_script.h"
#include "tests/unit/server/training/fake_trainer.h"

namespace stowage {
namespace {

constexpr size_t kMostCalls = 16;
constexpr size_t kMostRequests = 8;
constexpr std::chrono::seconds kMostTime(15);
constexpr int32_t kEpisodes = 2;  // of a training

// The codes with which the protos let calls end.
constexpr std::array kDocumented = {absl::StatusCode::kOk,
                                    absl::StatusCode::kInvalidArgument,
                                    absl::StatusCode::kNotFound,
                                    absl::StatusCode::kAlreadyExists,
                                    absl::StatusCode::kFailedPrecondition,
                                    absl::StatusCode::kResourceExhausted,
                                    absl::StatusCode::kOutOfRange,
                                    absl::StatusCode::kAborted};

struct Answer {
  absl::Status status;
  std::string last;  // of the answers, as bytes
};

class Service {
 public:
  Service() : server_(Start()), stub_(Connect()) {}
  ~Service() { server_->Drain(); }

  Answer Call(const std::string& path,
              const std::vector<std::string>& requests) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kMostTime);
    grpc::CompletionQueue queue;
    const auto call = stub_->PrepareCall(&context, path, &queue);
    call->StartCall(nullptr);
    bool alive = Await(queue);
    for (size_t i = 0; alive && i < requests.size(); ++i) {
      const grpc::Slice slice(requests[i]);
      call->Write(grpc::ByteBuffer(&slice, 1), nullptr);
      alive = Await(queue);
    }
    if (alive) {
      call->WritesDone(nullptr);
      Await(queue);
    }
    Answer answer;
    grpc::ByteBuffer response;
    for (call->Read(&response, nullptr); Await(queue);
         call->Read(&response, nullptr)) {
      grpc::Slice slice;
      if (response.DumpToSingleSlice(&slice).ok()) {
        answer.last.assign(reinterpret_cast<const char*>(slice.begin()),
                           slice.size());
      }
    }
    grpc::Status status;
    call->Finish(&status, nullptr);
    Await(queue);
    answer.status = FromGrpcStatus(status);
    return answer;
  }

 private:
  static bool Await(grpc::CompletionQueue& queue) {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  }

  std::unique_ptr<Server> Start() {
    static int number = 0;
    const ServerConfig config = {
        .listen = absl::StrCat("unix-abstract:stowage-fuzz-", getpid(), "-",
                               ++number),
        .metrics_address = "",
        .heartbeat_interval = absl::Seconds(1),
        .drain = {.timeout = absl::Seconds(1)},
        .planning = {.wait = absl::Seconds(1), .time = absl::Seconds(2)}};
    auto started = Server::Start(config, {.http_connections = 4, .spare = 8},
                                 *OpenDatabase(":memory:"),
                                 [this](TrainingJob job, OnEpisode on_episode) {
                                   job.options.set_episodes(kEpisodes);
                                   return trainer_.function()(job, on_episode);
                                 });
    if (!started.ok()) std::cerr << started.status() << std::endl;
    Require(started.ok(), "the service starts");
    return *std::move(started);
  }

  std::unique_ptr<grpc::GenericStub> Connect() const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return std::make_unique<grpc::GenericStub>(grpc::CreateCustomChannel(
        server_->grpc_address(), grpc::InsecureChannelCredentials(),
        arguments));
  }

  FakeTrainer trainer_;
  const std::unique_ptr<Server> server_;
  const std::unique_ptr<grpc::GenericStub> stub_;
};

void CheckStatus(const ScriptedCall& call, const absl::Status& status) {
  // A plan may take longer than the fuzzer's service lets it.
  const bool took_long =
      absl::IsDeadlineExceeded(status) && call.method->name() == "MakePlan";
  const bool is_documented =
      took_long || std::find(kDocumented.begin(), kDocumented.end(),
                             status.code()) != kDocumented.end();
  const bool says_why = status.ok() || !status.message().empty();
  if (!is_documented || !says_why) {
    std::cerr << call.method->full_name() << ": " << status << std::endl;
  }
  Require(is_documented, "calls end as the protos say");
  Require(says_why, "an error says what is wrong");
}

void Make(const ScriptedCall& call, Service& service, ScriptNames& names) {
  std::vector<std::string> requests;
  const size_t most = call.method->client_streaming() ? kMostRequests : 1;
  for (size_t i = 0; i < std::min(most, call.requests.size()); ++i) {
    requests.push_back(
        names.Encode(*call.method->input_type(), call.requests[i]));
  }
  const Answer answer =
      service.Call(absl::StrCat("/", call.method->service()->full_name(), "/",
                                call.method->name()),
                   requests);
  CheckStatus(call, answer.status);
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(call.method->output_type())
          ->New());
  Require(message->ParseFromString(answer.last), "answers can be read");
  names.Note(*message);
}

void Fuzz(const uint8_t* data, size_t size) {
  const google::protobuf::LogSilencer quiet;
  std::vector<ScriptedCall> calls =
      ReadScript(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (calls.empty()) return;
  calls.resize(std::min(calls.size(), kMostCalls));
  Service service;
  ScriptNames names;
  for (const ScriptedCall& call : calls) Make(call, service, names);
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Fuzz(data, size);
  return 0;
}
