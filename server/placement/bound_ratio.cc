#include "server/placement/bound_ratio.h"

#include <algorithm>
#include <cstdint>

#include "policies/bound/quick_bound.h"

namespace stowage {

double BoundRatio(const policies::Graph& graph,
                  const policies::MemorySystem& system,
                  const policies::Plan& plan, absl::Duration budget) {
  const int64_t bound_ns = policies::QuickBoundNs(
      graph, system, plan.fast_limit_bytes, std::min(budget, kMostBoundTime));
  if (bound_ns <= 0) return 0;
  return static_cast<double>(plan.prediction.step_time_ns) /
         static_cast<double>(bound_ns);
}

}  // namespace stowage
