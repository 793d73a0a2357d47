// Loads a server by h2load, of nghttp2, a load generator that shares no code
// with gRPC.
//
//   if (HasH2load()) {
//     absl::StatusOr<double> answers_per_second = RunH2load(load);
//   }
#ifndef STOWAGE_TESTS_BENCH_SERVING_H2LOAD_H_
#define STOWAGE_TESTS_BENCH_SERVING_H2LOAD_H_

#include "absl/status/statusor.h"
#include "tests/bench/serving/load.h"

namespace stowage {

// Returns whether the program is installed (Debian's nghttp2-client).
bool HasH2load();

// Returns how many unary calls a second were answered, after a second that is
// not measured. The load's callers share four connections. INTERNAL: some were
// not answered, or the program says what this does not understand. Blocks.
absl::StatusOr<double> RunH2load(const Load& load);

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_H2LOAD_H_
