// Serves calls that do nothing, for comparison: what gRPC itself takes.
//
//   EchoServer echo;                           // before gRPC is used
//   Call(echo.address(), "/echo/900", request);   // 900 bytes come back
#ifndef STOWAGE_TESTS_BENCH_SERVING_ECHO_SERVER_H_
#define STOWAGE_TESTS_BENCH_SERVING_ECHO_SERVER_H_

#include <sys/types.h>

#include <string>

namespace stowage {

// How gRPC gives calls to a server.
enum class ServerKind {
  kCallback,         // on threads of its own
  kSynchronous,      // each on a thread, while it lasts; serves Place alone
  kCompletionQueue,  // to threads of the server that ask for events
};

// Runs a process of its own, as the service does, until it is destroyed. Answers
// each request of a stream, or a unary one, with as many bytes as the method
// says.
class EchoServer {
 public:
  explicit EchoServer(ServerKind kind = ServerKind::kCallback);
  ~EchoServer();
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;

  const std::string& address() const { return address_; }

 private:
  pid_t pid_ = -1;
  std::string address_;
};

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_ECHO_SERVER_H_
