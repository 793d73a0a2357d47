#include "policies/bound/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "policies/bound/bound_relaxation.h"
#include "policies/bound/price_ascent.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/implementations.h"

namespace stowage::policies {
namespace {

// Sums of doubles err by less than this share.
constexpr double kRounding = 1e-9;

// Says how many prices of room and of lanes there are: as many as the work
// allows.
struct Resolution {
  int priced = 0;
  int blocks = 0;
};

std::unique_ptr<BoundRelaxation> MakeRelaxation(
    const Graph& graph, const MemorySystem& system, int64_t fast_limit_bytes,
    const std::vector<double>& fast_ns, const LowerBoundEffort& effort) {
  std::unique_ptr<BoundRelaxation> relaxation;
  const KernelIndex kernels = graph.kernel_count();
  for (const Resolution& resolution :
       {Resolution{kernels, kernels + 1}, Resolution{320, 128},
        Resolution{80, 16}}) {
    relaxation = std::make_unique<BoundRelaxation>(
        graph, system, fast_limit_bytes, fast_ns, resolution.priced,
        resolution.blocks);
    if (relaxation->Work() * effort.iterations <= effort.work) break;
  }
  return relaxation;
}

// Returns prices at which lanes count for `share` of each moment.
BoundPrices StartPrices(const BoundRelaxation& relaxation, double share) {
  BoundPrices prices = relaxation.ZeroPrices();
  for (std::vector<double>& lanes : prices.lane) {
    for (size_t lane = 0; lane < lanes.size() && lane < 2; ++lane) {
      lanes[lane] = share / 2;
    }
  }
  return prices;
}

}  // namespace

int64_t LowerBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes, const LowerBoundEffort& effort) {
  const bool relax = HasAlternatives(graph);
  const auto relaxation = MakeRelaxation(
      relax ? RelaxImplementations(graph, system) : graph, system,
      fast_limit_bytes, MostFastKernelNs(graph, system), effort);
  // The ascent begins where lanes cost as much as kernels. It cannot begin
  // where only kernels cost: no slope leads away from there if no kernel has to
  // wait.
  PriceAscent ascent(*relaxation, StartPrices(*relaxation, 0.5));
  ascent.Climb(effort.iterations);
  const double bound_ns =
      std::max(relaxation->Evaluate(relaxation->ZeroPrices()).bound_ns,
               ascent.best_ns());
  return static_cast<int64_t>(std::floor(bound_ns * (1 - kRounding)));
}

}  // namespace stowage::policies
