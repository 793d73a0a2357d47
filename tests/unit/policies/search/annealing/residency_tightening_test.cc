#include "policies/search/annealing/residency_tightening.h"

#include <utility>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_residencies.h"
#include "policies/planning/workload.h"
#include "policies/registry.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

int64_t TightenedStepNs(const Graph& graph, const MemorySystem& system,
                        const BuildInput& input) {
  Plan plan = SketchPlan(graph, system, input);
  MakeDrops(graph, plan);
  return Simulate(graph, system, plan)->prediction.step_time_ns;
}

int64_t HeldBoundaries(const BuildInput& input) {
  int64_t boundaries = 0;
  for (const Residency& residency : input.residencies) {
    boundaries += residency.end - residency.begin;
  }
  return boundaries;
}

TEST(ResidencyTighteningTest, HoldsLessForAsLongAStep) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    int64_t before = 0, after = 0;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      const Graph graph = TrainingStepGraph(8, seed);
      const int64_t limit = ComputeLiveness(graph).peak_bytes * 6 / 10;
      const auto plan =
          (*MakePolicy("belady"))
              ->MakePlan(graph, system, {.fast_limit_bytes = limit});
      ASSERT_TRUE(plan.ok()) << plan.status();
      BuildInput input = *BuildInputOf(graph, *plan);
      const int64_t step_ns = TightenedStepNs(graph, system, input);
      before += HeldBoundaries(input);
      TightenResidencies(graph, system, CopiesBegin::kLate, input);
      after += HeldBoundaries(input);
      EXPECT_LE(TightenedStepNs(graph, system, input), step_ns) << name << seed;
      const auto tight = BuildPlan(graph, system, input);
      ASSERT_TRUE(tight.ok()) << tight.status();
      EXPECT_EQ(VerifyPlan(graph, system, *tight), absl::OkStatus());
    }
    EXPECT_LT(after, before) << name;
  }
}

TEST(ResidencyTighteningTest, DropsAsEarlyAsItMay) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  Graph graph;
  graph.tensors = {{.size_bytes = 8192, .persistent = true}};
  graph.kernels.resize(4);
  graph.kernels[1].operands = {{.tensor = 0, .read = true}};
  BuildInput input{.residencies = {{.tensor = 0,
                                    .begin = 1,
                                    .ready = 1,
                                    .leave = 3,
                                    .end = 4,
                                    .moved_in = true,
                                    .moved_out = true}}};
  TightenResidencies(graph, system, CopiesBegin::kLate, input);
  EXPECT_EQ(input.residencies[0].leave, 2);
  EXPECT_EQ(input.residencies[0].end, 2);
}

// Returns when two copies begin that may begin at boundaries 1 and 2, for
// kernel 7 and for kernel `second`; each takes as long as two kernels.
std::pair<KernelIndex, KernelIndex> Begins(const MemorySystem& system,
                                           CopiesBegin begin,
                                           KernelIndex second) {
  Graph graph;
  graph.tensors.assign(2, {.size_bytes = 1 << 30, .persistent = true});
  graph.kernels.resize(12);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns =
        (system.CopyDurationNs(1, kFastTier, 1 << 30) + 1) / 2;
  }
  BuildInput input;
  for (const TensorIndex t : {0, 1}) {
    const KernelIndex use = t == 0 ? 7 : second;
    input.residencies.push_back({.tensor = t,
                                 .begin = 1 + t,
                                 .ready = use,
                                 .leave = use + 1,
                                 .end = use + 1,
                                 .moved_in = true,
                                 .moved_out = true});
  }
  TightenResidencies(graph, system, begin, input);
  return {input.residencies[0].begin, input.residencies[1].begin};
}

TEST(ResidencyTighteningTest, BeginsCopiesWhenThoseBehindThemMust) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  EXPECT_EQ(Begins(system, CopiesBegin::kLate, 9), std::pair(5, 7));
  EXPECT_EQ(Begins(system, CopiesBegin::kLate, 7), std::pair(3, 5));
}

TEST(ResidencyTighteningTest, BeginsCopiesFromDevicesWithTheirLane) {
  const MemorySystem host = *PresetMemorySystem("gpu-pcie");
  EXPECT_EQ(Begins(host, CopiesBegin::kLateFromMemory, 9), std::pair(5, 7));
  const MemorySystem disk = *PresetMemorySystem("file");
  // The first one ends within kernel 2.
  EXPECT_EQ(Begins(disk, CopiesBegin::kLateFromMemory, 9), std::pair(1, 2));
}

// The tensor is read while it is copied out.
TEST(ResidencyTighteningTest, LeavesWhatIsReadMeanwhile) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  Graph graph;
  graph.tensors = {{.size_bytes = 8192, .birth_kernel = 0, .death_kernel = 3}};
  graph.kernels.resize(4);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns = 1'000'000'000;
  }
  graph.kernels[0].operands = {{.tensor = 0, .write = true}};
  graph.kernels[2].operands = {{.tensor = 0, .read = true}};
  BuildInput input{.residencies = {{.tensor = 0, .leave = 1, .end = 3}}};
  input.residencies[0].moved_out = true;
  TightenResidencies(graph, system, CopiesBegin::kLate, input);
  EXPECT_EQ(input.residencies[0].end, 3);
  graph.kernels[2].operands.clear();
  TightenResidencies(graph, system, CopiesBegin::kLate, input);
  EXPECT_EQ(input.residencies[0].end, 2);
}

}  // namespace
}  // namespace stowage::policies
