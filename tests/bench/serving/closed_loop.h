// Loads a server with callers of which each asks again as soon as it has its
// answer.
//
//   Load load = {.address = address, .method = "/echo/900", .request = "a",
//                .streams = true, .callers = 64};
//   absl::StatusOr<LoadResult> result = RunClosedLoop(load);
#ifndef STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_
#define STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace stowage {

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
  absl::Duration p50, p99, p999;  // from request to answer
};

// Runs the load, after a tenth of it that is not measured. Returns the error of
// the first call that failed. Blocks.
absl::StatusOr<LoadResult> RunClosedLoop(const Load& load);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_
