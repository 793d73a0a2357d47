// Loads a server with callers of which each asks again as soon as it has its
// answer.
//
//   Load load = {.address = address, .method = "/echo/900", .request = "a",
//                .streams = true, .callers = 64};
//   absl::StatusOr<LoadResult> result = RunClosedLoop(load);
#ifndef STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_
#define STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_

#include "absl/status/statusor.h"
#include "tests/bench/serving/load.h"

namespace stowage {

// Runs the load, after a tenth of it that is not measured. Returns the error of
// the first call that failed. Blocks.
absl::StatusOr<LoadResult> RunClosedLoop(const Load& load);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_CLOSED_LOOP_H_
