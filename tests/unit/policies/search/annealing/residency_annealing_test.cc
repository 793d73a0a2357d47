#include "policies/search/annealing/residency_annealing.h"

#include <algorithm>
#include <string>
#include <vector>

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

const AnnealingEffort kEffort = {.work = 200'000, .reheating = 0.7};

int64_t StepNs(const Graph& graph, const MemorySystem& system, Plan plan) {
  MakeDrops(graph, plan);
  return Simulate(graph, system, plan)->prediction.step_time_ns;
}

// Holds Belady's plan with a third of the peak as fast memory, if that is
// enough.
struct Beginning {
  Beginning(const Graph& graph, const MemorySystem& system) {
    const int64_t limit_bytes = std::max(FindLeastLimit(graph, system).bytes,
                                         ComputeLiveness(graph).peak_bytes / 3);
    plan = *(*MakePolicy("belady"))
                ->MakePlan(graph, system, {.fast_limit_bytes = limit_bytes});
    input = *BuildInputOf(graph, plan);
    allowed_bytes.assign(graph.kernels.size() + 1, ArenaBytes(graph, input));
  }

  Plan plan;
  BuildInput input;
  std::vector<int64_t> allowed_bytes;
};

TEST(ResidencyAnnealingTest, FindsFasterResidencies) {
  const Graph graph = TrainingStepGraph(6, 3);
  for (const char* name : {"optane", "gpu-pcie", "file"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const Beginning beginning(graph, system);
    ResidencyAnnealing annealing(graph, system, beginning.input.streams);
    annealing.Begin(beginning.input, beginning.allowed_bytes);
    const BuildInput better = annealing.Run(kEffort);
    EXPECT_LT(StepNs(graph, system, SketchPlan(graph, system, better)),
              StepNs(graph, system, beginning.plan))
        << name;
  }
}

TEST(ResidencyAnnealingTest, FindsNothingSlowerThatTheVerifierAcceptsInPlaces) {
  int faster = 0;
  for (const char* name : {"optane", "gpu-pcie", "file", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 15; ++seed) {
      const Graph graph = RandomGraph(seed);
      const std::string where = std::string(name) + std::to_string(seed);
      const Beginning beginning(graph, system);
      ResidencyAnnealing annealing(graph, system, beginning.input.streams);
      annealing.Begin(beginning.input, beginning.allowed_bytes);
      annealing.KeepPlaces(ArenaBytes(graph, beginning.input));
      const auto plan = BuildPlan(graph, system, annealing.Run(kEffort));
      ASSERT_TRUE(plan.ok()) << where << plan.status();
      ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus()) << where;
      const int64_t before_ns = StepNs(graph, system, beginning.plan);
      EXPECT_LE(StepNs(graph, system, *plan), before_ns) << where;
      faster += StepNs(graph, system, *plan) < before_ns ? 1 : 0;
    }
  }
  EXPECT_GT(faster, 20);
}

TEST(ResidencyAnnealingTest, LetsKernelsStreamWhatIsNotFast) {
  const MemorySystem system = *PresetMemorySystem("file");
  int changed = 0;
  for (uint64_t seed = 0; seed < 15; ++seed) {
    const Graph graph = RandomGraph(seed);
    const Beginning beginning(graph, system);
    if (beginning.input.streams.empty()) continue;
    ResidencyAnnealing annealing(graph, system, beginning.input.streams);
    annealing.Begin(beginning.input, beginning.allowed_bytes);
    const BuildInput better = annealing.Run(kEffort);
    const Plan plan = SketchPlan(graph, system, better);
    EXPECT_TRUE(Simulate(graph, system, plan).ok()) << seed;
    bool differs = better.streams.size() != beginning.input.streams.size();
    for (size_t s = 0; !differs && s < better.streams.size(); ++s) {
      differs = better.streams[s].tensors != beginning.input.streams[s].tensors;
    }
    changed += differs ? 1 : 0;
  }
  EXPECT_GT(changed, 0);
}

// Kernel 0 reads one tensor, the last kernel updates another one, slow memory
// is slow, and there is room for one. At first, the first one is back before
// the step ends.
TEST(ResidencyAnnealingTest,
     FetchesInTheNextStepWhatTakesRoomAtTheEndOfThisOne) {
  const MemorySystem system = *PresetMemorySystem("optane");
  constexpr int64_t kBytes = 64 << 20;
  Graph graph;
  graph.tensors.assign(2, {.size_bytes = kBytes, .persistent = true});
  graph.kernels.resize(4);
  const ProfiledDuration slow{50'000'000, DurationSource::kMeasured};
  for (Kernel& kernel : graph.kernels) {
    kernel.profile = {
        {10'000'000, DurationSource::kMeasured}, slow, slow, slow};
  }
  graph.kernels[0].operands = {{.tensor = 0, .read = true}};
  graph.kernels[3].operands = {{.tensor = 1, .read = true, .write = true}};
  Residency early{.leave = 1, .end = 2};
  early.moved_out = true;
  const Residency late{
      .begin = 2, .ready = 4, .leave = 5, .end = 5, .moved_in = true};
  const BuildInput input{.residencies = {early, late},
                         .fast_limit_bytes = kBytes};
  ResidencyAnnealing annealing(graph, system, {});
  annealing.Begin(input, std::vector<int64_t>(5, kBytes));
  const BuildInput better = annealing.Run(kEffort);
  EXPECT_LT(StepNs(graph, system, SketchPlan(graph, system, better)),
            StepNs(graph, system, SketchPlan(graph, system, input)));
}

}  // namespace
}  // namespace stowage::policies
