#include "policies/bound/lower_bound.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "policies/bound/bound_relaxation.h"
#include "policies/bound/price_ascent.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/implementations.h"

namespace stowage::policies {
namespace {

// Sums of doubles err by less than this share.
constexpr double kRounding = 1e-9;

// Says how many prices of room and of lanes there are.
struct Resolution {
  int priced = 0;
  int blocks = 0;
};

// Few prices soon have about the right height, and cost little. So the first
// quarter of the steps is made with half of the prices, unless those are few.
constexpr int kFewer = 2;
constexpr int kFewerShare = 4;
constexpr int kLeastPriced = 8;

constexpr double kFirstStep = 0.05;

// Looks for prices in stages.
class StagedAscent {
 public:
  StagedAscent(const Graph& graph, const MemorySystem& system,
               int64_t fast_limit_bytes)
      : graph_(HasAlternatives(graph) ? RelaxImplementations(graph, system)
                                      : graph),
        system_(system),
        fast_limit_bytes_(fast_limit_bytes),
        fast_ns_(MostFastKernelNs(graph, system)) {}

  // Returns the highest bound that was found.
  double ClimbNs(const LowerBoundEffort& effort);

 private:
  std::unique_ptr<BoundRelaxation> Relax(const Resolution& resolution) const;
  Resolution Finest(const LowerBoundEffort& effort) const;
  void Climb(std::unique_ptr<BoundRelaxation> relaxation, int steps);

  const Graph graph_;
  const MemorySystem& system_;
  const int64_t fast_limit_bytes_;
  const std::vector<double> fast_ns_;
  // The stage in hand and, once it has ended, its best prices.
  std::unique_ptr<BoundRelaxation> relaxation_;
  BoundPrices prices_;
  double best_ns_ = 0;
};

std::unique_ptr<BoundRelaxation> StagedAscent::Relax(
    const Resolution& resolution) const {
  return std::make_unique<BoundRelaxation>(graph_, system_, fast_limit_bytes_,
                                           fast_ns_, resolution.priced,
                                           resolution.blocks);
}

// Returns the highest resolution that the work allows.
Resolution StagedAscent::Finest(const LowerBoundEffort& effort) const {
  const KernelIndex kernels = graph_.kernel_count();
  for (const Resolution& resolution :
       {Resolution{kernels, kernels + 1}, Resolution{320, 128}}) {
    if (Relax(resolution)->Work() * effort.iterations <= effort.work) {
      return resolution;
    }
  }
  return {80, 16};
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

// Makes one stage. The first one begins where lanes cost as much as kernels. It
// cannot begin where only kernels cost: no slope leads away from there if no
// kernel has to wait.
void StagedAscent::Climb(std::unique_ptr<BoundRelaxation> relaxation,
                         int steps) {
  PriceAscent ascent(*relaxation,
                     relaxation_ ? relaxation->PricesOf(*relaxation_, prices_)
                                 : StartPrices(*relaxation, 0.5),
                     kFirstStep);
  ascent.Climb(steps);
  best_ns_ = std::max(best_ns_, ascent.best_ns());
  prices_ = ascent.best();
  relaxation_ = std::move(relaxation);
}

double StagedAscent::ClimbNs(const LowerBoundEffort& effort) {
  const Resolution finest = Finest(effort);
  auto last = Relax(finest);
  best_ns_ = last->Evaluate(last->ZeroPrices()).bound_ns;
  // Where there is no plan, every number is a bound, and none is worth a
  // search.
  if (!last->HasRoom()) return best_ns_;
  int steps = effort.iterations;
  const Resolution half = {finest.priced / kFewer, finest.blocks / kFewer};
  if (std::min(half.priced, half.blocks) >= kLeastPriced) {
    Climb(Relax(half), effort.iterations / kFewerShare);
    steps -= effort.iterations / kFewerShare;
  }
  Climb(std::move(last), steps);
  return best_ns_;
}

}  // namespace

int64_t LowerBoundNs(const Graph& graph, const MemorySystem& system,
                     int64_t fast_limit_bytes, const LowerBoundEffort& effort) {
  StagedAscent ascent(graph, system, fast_limit_bytes);
  // The sums of a step that takes no time may err to below 0.
  const double bound_ns = std::floor(ascent.ClimbNs(effort) * (1 - kRounding));
  return static_cast<int64_t>(std::max(0.0, bound_ns));
}

}  // namespace stowage::policies
