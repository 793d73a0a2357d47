#include "policies/stow/stow.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/baselines/belady.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/simulator.h"
#include "policies/planning/verifier.h"
#include "policies/planning/workload.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

absl::StatusOr<Plan> Stow(const Graph& graph, const MemorySystem& system,
                          int64_t limit_bytes) {
  return StowPolicy().MakePlan(graph, system,
                               {.fast_limit_bytes = limit_bytes});
}

TEST(StowTest, PlansOfRandomGraphsPassTheVerifier) {
  for (const char* name : {"optane", "file", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 120; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t least = FindLeastLimit(graph, system).bytes;
      const int64_t peak = ComputeLiveness(graph).peak_bytes;
      for (const double share : {0.0, 0.15, 0.4}) {
        const auto limit = least + static_cast<int64_t>(share * peak);
        const auto plan = Stow(graph, system, limit);
        ASSERT_TRUE(plan.ok()) << name << seed << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " share " << share;
      }
    }
  }
}

}  // namespace
}  // namespace stowage
