#include "tests/bench/serving/echo_server.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"

namespace stowage {
namespace {

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

// Writes the address to `fd`, and serves until the parent dies.
[[noreturn]] void Serve(int fd) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  EchoService service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(),
                           &port);
  builder.RegisterCallbackGenericService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (write(fd, &port, sizeof(port)) != sizeof(port)) _exit(1);
  server->Wait();
  _exit(0);
}

}  // namespace

EchoServer::EchoServer() {
  int fds[2];
  if (pipe(fds) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) Serve(fds[1]);
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
