#include "server/placement/bound_ratio.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "policies/bound/lower_bound.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/implementations.h"

namespace stowage {
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

int IterationsWithin(absl::Duration budget, const policies::Graph& graph) {
  const int64_t kernels = graph.kernel_count();
  const int64_t tensors = static_cast<int64_t>(graph.tensors.size());
  const absl::Duration left =
      std::min(budget, kMostBoundTime) - (kernels + tensors) * kSetUpTime;
  const double iterations =
      absl::FDivDuration(left, std::max(kernels, tensors) * kIterationTime);
  return static_cast<int>(std::clamp<double>(iterations, 0, kMostIterations));
}

// Returns the time of the kernels and of the host, with every operand fast.
double KernelsAloneNs(const policies::Graph& graph,
                      const policies::MemorySystem& system) {
  const std::vector<double> kernels_ns = policies::LeastKernelNs(
      policies::RelaxImplementations(graph, system), system);
  return std::accumulate(kernels_ns.begin(), kernels_ns.end(), 0.0);
}

}  // namespace

double BoundRatio(const policies::Graph& graph,
                  const policies::MemorySystem& system,
                  const policies::Plan& plan, absl::Duration budget) {
  double bound_ns = KernelsAloneNs(graph, system);
  const int iterations = IterationsWithin(budget, graph);
  if (iterations >= kLeastIterations) {
    const int64_t tighter_ns =
        policies::LowerBoundNs(graph, system, plan.fast_limit_bytes,
                               {.iterations = iterations, .work = 0});
    bound_ns = std::max(bound_ns, static_cast<double>(tighter_ns));
  }
  if (bound_ns <= 0) return 0;
  return static_cast<double>(plan.prediction.step_time_ns) / bound_ns;
}

}  // namespace stowage
