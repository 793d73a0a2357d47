// Says how to load a server, and what came of it.
//
//   Load load = {.address = address, .method = "/echo/900", .request = "a",
//                .streams = true, .callers = 64};
//   std::vector<std::shared_ptr<grpc::Channel>> channels = ChannelsOf(load);
#ifndef STOWAGE_TESTS_BENCH_SERVING_LOAD_H_
#define STOWAGE_TESTS_BENCH_SERVING_LOAD_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "grpcpp/channel.h"

namespace stowage {

// Plain data.
struct Load {
  std::string address;
  std::string method;
  std::string request;   // bytes of a message
  bool streams = false;  // else each request is a call of its own
  int callers = 1;
  absl::Duration time = absl::Seconds(2);
};

struct LoadResult {
  double answers_per_second = 0;
  absl::Duration p50, p99, p999;
};

// Returns channels for the load's callers, at most a hundred for each, with a
// connection each.
std::vector<std::shared_ptr<grpc::Channel>> ChannelsOf(const Load& load);

// Returns the result of answers that took this long and came within the load's
// time.
LoadResult ResultOf(const Load& load, std::vector<absl::Duration> latencies);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_LOAD_H_
