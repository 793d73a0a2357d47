#include "server/placement/think_time.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "policies/intervals/interval_demand.h"

namespace stowage {
namespace {

// docs/measurements.md ("Jobs of many lengths") says what plans lose by this.
constexpr absl::Duration kLeast = absl::Milliseconds(200);
constexpr absl::Duration kOfAKernel = absl::Microseconds(200);
constexpr int kSteps = 2;
// Policies take about as long as this by themselves.
constexpr absl::Duration kMost = absl::Seconds(1);

}  // namespace

absl::Duration ThinkTime(const PlanRequest& request,
                         const policies::Policy& policy,
                         const policies::Graph& graph) {
  if (!request.brief || request.think_time > absl::ZeroDuration() ||
      !policy.capabilities().plans_briefly) {
    return request.think_time;
  }
  const std::vector<int64_t> kernel_ns =
      policies::AllFastKernelNs(graph, request.system);
  const int64_t step_ns =
      std::accumulate(kernel_ns.begin(), kernel_ns.end(), int64_t{0});
  const absl::Duration brief =
      std::max({kLeast, kSteps * absl::Nanoseconds(step_ns),
                static_cast<int64_t>(kernel_ns.size()) * kOfAKernel});
  return brief < kMost ? brief : absl::ZeroDuration();
}

}  // namespace stowage
