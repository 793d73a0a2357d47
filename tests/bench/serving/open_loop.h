// Loads a server with requests that come when they come, whether others have
// been answered or not.
//
//   absl::StatusOr<LoadResult> result =
//       RunOpenLoop(load, /*requests_per_second=*/5000, /*seed=*/1);
#ifndef STOWAGE_TESTS_BENCH_SERVING_OPEN_LOOP_H_
#define STOWAGE_TESTS_BENCH_SERVING_OPEN_LOOP_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "tests/bench/serving/load.h"

namespace stowage {

// Requests come at random, a Poisson process, and go to the load's callers in
// turn. One that meets a caller whose answer is still due waits for it. Latency
// counts from when a request came. The first tenth is not measured. Returns the
// error of the first call that failed. Blocks.
absl::StatusOr<LoadResult> RunOpenLoop(const Load& load,
                                       double requests_per_second,
                                       int64_t seed);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_OPEN_LOOP_H_
