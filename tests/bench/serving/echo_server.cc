#include "tests/bench/serving/echo_server.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "stowage/v1/placement.grpc.pb.h"

namespace stowage {
namespace {

constexpr size_t kPlaceBytes = 112;  // of a window of eight kernels

class EchoReactor final : public grpc::ServerGenericBidiReactor {
 public:
  explicit EchoReactor(const std::string& bytes) {
    const grpc::Slice slice(bytes);
    response_ = grpc::ByteBuffer(&slice, 1);
    StartRead(&request_);
  }
  void OnReadDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::OK);
    StartWrite(&response_);
  }
  void OnWriteDone(bool ok) override {
    if (!ok) return Finish(grpc::Status::CANCELLED);
    StartRead(&request_);
  }
  void OnDone() override { delete this; }

 private:
  grpc::ByteBuffer request_, response_;
};

class EchoService final : public grpc::CallbackGenericService {
 public:
  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    size_t bytes = 0;
    const std::string& method = context->method();
    const bool says =
        absl::SimpleAtoi(absl::StripPrefix(method, "/echo/"), &bytes);
    return new EchoReactor(std::string(says ? bytes : 0, 'a'));
  }
};

// Answers each request of a Place stream with kPlaceBytes, which it encodes each
// time: gRPC has no generic service of this kind.
class SynchronousService final : public v1::PlacementService::Service {
 public:
  grpc::Status Place(
      grpc::ServerContext* /*context*/,
      grpc::ServerReaderWriter<v1::PlaceResponse, v1::PlaceRequest>* stream)
      override {
    v1::PlaceResponse response;
    // Each takes four bytes.
    for (size_t i = 0; i < kPlaceBytes / 4; ++i) {
      response.add_decisions()->set_kernel(1);
    }
    v1::PlaceRequest request;
    while (stream->Read(&request) && stream->Write(response)) {
    }
    return grpc::Status::OK;
  }
};

// One stream of a server with completion queues. Deletes itself at its end.
class QueuedStream {
 public:
  QueuedStream(grpc::AsyncGenericService* service,
               grpc::ServerCompletionQueue* queue)
      : service_(service), queue_(queue), stream_(&context_) {
    service_->RequestCall(&context_, &stream_, queue_, queue_, this);
  }

  void Proceed(bool ok) {
    if (!ok) {
      if (state_ != State::kComes) return End();
      delete this;
      return;
    }
    switch (state_) {
      case State::kComes:
        new QueuedStream(service_, queue_);
        [[fallthrough]];
      case State::kWrites:
        state_ = State::kReads;
        return stream_.Read(&request_, this);
      case State::kReads:
        state_ = State::kWrites;
        return stream_.Write(Response(), this);
      case State::kEnds:
        delete this;
    }
  }

 private:
  enum class State { kComes, kReads, kWrites, kEnds };

  void End() {
    if (state_ == State::kEnds) {
      delete this;
      return;
    }
    state_ = State::kEnds;
    stream_.Finish(grpc::Status::OK, this);
  }

  static const grpc::ByteBuffer& Response() {
    static const auto* const response = [] {
      const grpc::Slice slice(std::string(kPlaceBytes, 'a'));
      return new grpc::ByteBuffer(&slice, 1);
    }();
    return *response;
  }

  grpc::AsyncGenericService* const service_;
  grpc::ServerCompletionQueue* const queue_;
  grpc::GenericServerContext context_;
  grpc::GenericServerAsyncReaderWriter stream_;
  grpc::ByteBuffer request_;
  State state_ = State::kComes;
};

[[noreturn]] void ServeQueue(grpc::AsyncGenericService* service,
                             grpc::ServerCompletionQueue* queue) {
  new QueuedStream(service, queue);
  void* tag = nullptr;
  bool ok = false;
  while (queue->Next(&tag, &ok)) static_cast<QueuedStream*>(tag)->Proceed(ok);
  _exit(0);
}

// Writes the address to `fd`, and serves until the parent dies.
[[noreturn]] void Serve(ServerKind kind, int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  EchoService callbacks;
  SynchronousService synchronous;
  grpc::AsyncGenericService queued;
  std::vector<std::unique_ptr<grpc::ServerCompletionQueue>> queues;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  switch (kind) {
    case ServerKind::kCallback:
      builder.RegisterCallbackGenericService(&callbacks);
      break;
    case ServerKind::kSynchronous:
      builder.RegisterService(&synchronous);
      break;
    case ServerKind::kCompletionQueue:
      builder.RegisterAsyncGenericService(&queued);
      for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i) {
        queues.push_back(builder.AddCompletionQueue());
      }
  }
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  std::vector<std::thread> threads;
  for (const auto& queue : queues) {
    threads.emplace_back(ServeQueue, &queued, queue.get());
  }
  if (write(fd, &port, sizeof(port)) != sizeof(port)) _exit(1);
  server->Wait();
  _exit(0);
}

}  // namespace

EchoServer::EchoServer(ServerKind kind) {
  int fds[2];
  if (pipe(fds) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) Serve(kind, fds[1]);
  int port = 0;
  if (read(fds[0], &port, sizeof(port)) != sizeof(port)) std::abort();
  close(fds[0]);
  close(fds[1]);
  address_ = absl::StrCat("127.0.0.1:", port);
}

EchoServer::~EchoServer() {
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

}  // namespace stowage
