#include "policies/bound/bound_relaxation.h"

#include <random>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

std::vector<double*> Flatten(BoundPrices& prices) {
  std::vector<double*> flat;
  for (double& price : prices.room) flat.push_back(&price);
  for (std::vector<double>& lanes : prices.lane) {
    for (double& price : lanes) flat.push_back(&price);
  }
  for (std::vector<double>& lanes : prices.over) {
    for (double& price : lanes) flat.push_back(&price);
  }
  return flat;
}

// Returns prices that sum up to at most 1 in a moment: each has at most a
// sixth.
BoundPrices RandomPrices(const BoundRelaxation& relaxation,
                         std::mt19937_64& engine) {
  BoundPrices prices = relaxation.ZeroPrices();
  const std::vector<double> scales = relaxation.RoomScales();
  const auto share = [&] {
    return engine() % 3 == 0 ? 0 : static_cast<double>(engine() % 1000) / 6000;
  };
  for (size_t r = 0; r < scales.size(); ++r) {
    prices.room[r] = scales[r] * share();
  }
  for (std::vector<double>& lanes : prices.lane) {
    for (double& price : lanes) price = share();
  }
  for (std::vector<double>& lanes : prices.over) {
    for (double& price : lanes) price = share();
  }
  return prices;
}

// This also says that the relaxation is concave, as a least value over lives
// is.
TEST(BoundRelaxationTest, LiesBelowItsSupergradientsEverywhere) {
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t limit = FindLeastLimit(graph, system).bytes +
                            ComputeLiveness(graph).peak_bytes / 8;
      const KernelIndex kernels = graph.kernel_count();
      for (const auto& [priced, blocks] :
           {std::pair{kernels, kernels + 1}, std::pair{kernels / 2 + 1, 3}}) {
        BoundRelaxation relaxation(graph, system, limit,
                                   MostFastKernelNs(graph, system), priced,
                                   blocks);
        std::mt19937_64 engine(seed);
        BoundPrices here = RandomPrices(relaxation, engine);
        BoundPrices there = RandomPrices(relaxation, engine);
        BoundValue value = relaxation.Evaluate(here);
        const double there_ns = relaxation.Evaluate(there).bound_ns;
        const std::vector<double*> from = Flatten(here), to = Flatten(there),
                                   slope = Flatten(value.ascent);
        double above_ns = value.bound_ns;
        for (size_t i = 0; i < from.size(); ++i) {
          above_ns += *slope[i] * (*to[i] - *from[i]);
        }
        EXPECT_LE(there_ns, above_ns + 1e-6 * std::abs(above_ns))
            << name << " seed " << seed << " " << blocks << " blocks";
      }
    }
  }
}

// Copies may run beside their own kernels where kernels share a price, and room
// is scarce at fewer of them. Nothing else is different.
TEST(BoundRelaxationTest, IsNoLowerWhereEachKernelHasThePricesThatAreShared) {
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t limit = FindLeastLimit(graph, system).bytes +
                            ComputeLiveness(graph).peak_bytes / 8;
      const KernelIndex kernels = graph.kernel_count();
      const std::vector<double> fast_ns = MostFastKernelNs(graph, system);
      BoundRelaxation shared(graph, system, limit, fast_ns, kernels / 2 + 1, 3);
      BoundRelaxation each(graph, system, limit, fast_ns, kernels, kernels + 1);
      std::mt19937_64 engine(seed);
      BoundPrices prices = RandomPrices(shared, engine);
      prices.over = shared.ZeroPrices().over;
      const double shared_ns = shared.Evaluate(prices).bound_ns;
      EXPECT_GE(each.Evaluate(each.PricesOf(shared, prices)).bound_ns,
                shared_ns - 1e-6 * std::abs(shared_ns))
          << name << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace stowage::policies
