#include "policies/bound/quick_bound.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "policies/bound/lower_bound.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/implementations.h"

namespace stowage::policies {
namespace {

// With fewer iterations the bound is hardly above that of the kernels alone, and
// with more it gains little.
constexpr int kLeastIterations = 20;
constexpr int kMostIterations = 300;

// What LowerBoundNs() takes at its coarsest, from above, for each kernel or
// tensor: to set it up, and for each iteration. Measured with captured steps of
// 100 to 6,400 kernels.
constexpr absl::Duration kSetUpTime = absl::Microseconds(8);
constexpr absl::Duration kIterationTime = absl::Nanoseconds(500);

int IterationsWithin(absl::Duration budget, const Graph& graph) {
  const int64_t kernels = graph.kernel_count();
  const int64_t tensors = static_cast<int64_t>(graph.tensors.size());
  const absl::Duration left = budget - (kernels + tensors) * kSetUpTime;
  const double iterations =
      absl::FDivDuration(left, std::max(kernels, tensors) * kIterationTime);
  return static_cast<int>(std::clamp<double>(iterations, 0, kMostIterations));
}

}  // namespace

int64_t AllFastNs(const Graph& graph, const MemorySystem& system) {
  const std::vector<double> kernels_ns =
      LeastKernelNs(RelaxImplementations(graph, system), system);
  return std::llround(
      std::accumulate(kernels_ns.begin(), kernels_ns.end(), 0.0));
}

int64_t QuickBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes, absl::Duration budget) {
  const int64_t all_fast_ns = AllFastNs(graph, system);
  const int iterations = IterationsWithin(budget, graph);
  if (iterations < kLeastIterations) return all_fast_ns;
  return std::max(all_fast_ns,
                  LowerBoundNs(graph, system, fast_limit_bytes,
                               {.iterations = iterations, .work = 0}));
}

}  // namespace stowage::policies
