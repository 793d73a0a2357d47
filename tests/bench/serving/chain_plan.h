// Has the service make the plan that the benches ask for.
//
//   absl::StatusOr<v1::MakePlanResponse> made = MakeChainPlan(*client);
#ifndef STOWAGE_TESTS_BENCH_SERVING_CHAIN_PLAN_H_
#define STOWAGE_TESTS_BENCH_SERVING_CHAIN_PLAN_H_

#include "absl/status/statusor.h"
#include "client_sdk/cpp/client.h"
#include "tests/unit/server/testing.h"

namespace stowage {

// A plan of so many kernels has about 20 KB.
inline constexpr int kPlanKernels = 2200;

// Returns the plan of a chain of kPlanKernels kernels. Errors are those of the
// client. Blocks.
inline absl::StatusOr<v1::MakePlanResponse> MakeChainPlan(Client& client) {
  v1::RegisterGraphRequest registration;
  *registration.mutable_graph() = ChainGraph(kPlanKernels);
  const absl::StatusOr<v1::RegisterGraphResponse> registered =
      client.RegisterGraph(registration);
  if (!registered.ok()) return registered.status();
  v1::MakePlanRequest request;
  request.set_graph_id(registered->graph_id());
  *request.mutable_system() = TwoTiers();
  request.set_fast_limit_bytes(kLimitBytes);
  request.set_policy("belady");
  return client.MakePlan(request);
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_BENCH_SERVING_CHAIN_PLAN_H_
