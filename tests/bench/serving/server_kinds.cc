// Measures the three ways in which gRPC gives calls to a server, with streams
// that answer as `Place` does and do nothing else.
//
//   cmake --build build --target server_kinds
//   build/bin/server_kinds [--seconds 2] [--rounds 5]
#include <iostream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "tests/bench/serving/closed_loop.h"
#include "tests/bench/serving/echo_server.h"
#include "tests/bench/serving/series.h"

ABSL_FLAG(double, seconds, 2, "of each measurement");
ABSL_FLAG(int, rounds, 5, "of measurements");

namespace stowage {
namespace {

struct Kind {
  std::string name;
  std::string method;
  std::string address;
  Series rate, p99;
};

absl::Status Measure(Kind& kind, int streams) {
  const absl::StatusOr<LoadResult> result =
      RunClosedLoop({.address = kind.address,
                     .method = kind.method,
                     .request = "",
                     .streams = true,
                     .callers = streams,
                     .time = absl::Seconds(absl::GetFlag(FLAGS_seconds))});
  if (!result.ok()) return result.status();
  kind.rate.values.push_back(result->answers_per_second);
  kind.p99.values.push_back(absl::ToDoubleMilliseconds(result->p99));
  return absl::OkStatus();
}

absl::Status Compare(std::vector<Kind> kinds, int streams) {
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    for (Kind& kind : kinds) {
      if (absl::Status s = Measure(kind, streams); !s.ok()) return s;
    }
  }
  for (Kind& kind : kinds) {
    std::cout << "| " << kind.name << " | " << streams << " | "
              << kind.rate.Text(0) << " | " << kind.p99.Text(2) << " |"
              << std::endl;
  }
  return absl::OkStatus();
}

absl::Status Main() {
  constexpr char kEcho[] = "/echo/112";
  const EchoServer callback(ServerKind::kCallback);
  const EchoServer synchronous(ServerKind::kSynchronous);
  const EchoServer queued(ServerKind::kCompletionQueue);
  const std::vector<Kind> kinds = {
      {.name = "callback", .method = kEcho, .address = callback.address()},
      {.name = "completion queues",
       .method = kEcho,
       .address = queued.address()},
      {.name = "synchronous",
       .method = "/stowage.v1.PlacementService/Place",
       .address = synchronous.address()}};
  std::cout << "| server | streams | answers a second | p99, ms |\n"
               "|---|---|---|---|\n";
  for (const int streams : {1, 64, 1000}) {
    if (absl::Status s = Compare(kinds, streams); !s.ok()) return s;
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const absl::Status status = stowage::Main();
  if (status.ok()) return 0;
  std::cerr << "server_kinds: " << status.message() << "\n";
  return 1;
}
