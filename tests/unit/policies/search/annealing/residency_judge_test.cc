#include "policies/search/annealing/residency_judge.h"

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/staging.h"
#include "policies/planning/workload.h"
#include "policies/search/annealing/residency_streams.h"
#include "policies/simulate/simulator.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

std::vector<int64_t> Allowed(const Graph& graph, int64_t bytes) {
  return std::vector<int64_t>(graph.kernels.size() + 1, bytes);
}

Simulation Sketched(const Graph& graph, const MemorySystem& system,
                    BuildInput input, const ResidenciesByTensor& residencies) {
  input.residencies.clear();
  if (!HasAddressableSlowTier(system)) {
    input.streams = StreamsOf(graph, input.streams, residencies);
  }
  for (const auto& of_tensor : residencies) {
    input.residencies.insert(input.residencies.end(), of_tensor.begin(),
                             of_tensor.end());
  }
  Plan plan = SketchPlan(graph, system, input);
  MakeDrops(graph, plan);
  return *Simulate(graph, system, plan);
}

// Draws changes of one to three tensors and accepts every second one.
void ExpectWhatTheSimulatorSays(const Graph& graph, const MemorySystem& system,
                                uint64_t seed, int proposals,
                                const BuildInput& input) {
  ResidencyNeighbour neighbour(graph, system.tiers[1].addressable,
                               input.streams);
  ResidencyJudge judge(graph, system, input, Allowed(graph, 0));
  std::mt19937_64 random(seed);
  for (int n = 0; n < proposals; ++n) {
    std::vector<TensorIndex> changed;
    for (uint64_t i = 0; i <= random() % 3; ++i) {
      auto change = neighbour.Change(random, judge.residencies());
      if (!change.has_value()) continue;
      const TensorIndex t = change->tensor;
      if (std::find(changed.begin(), changed.end(), t) != changed.end()) {
        continue;
      }
      changed.push_back(t);
      judge.Replace(*std::move(change));
    }
    const ResidencyJudge::Judgement judgement = judge.Judge();
    const Simulation proposed =
        Sketched(graph, system, input, judge.residencies());
    ASSERT_EQ(judgement.step_ns, proposed.prediction.step_time_ns)
        << system.name << " seed " << seed << " proposal " << n;
    if (random() % 2 == 0) {
      judge.Accept();
    } else {
      judge.Reject();
    }
    const Simulation now = Sketched(graph, system, input, judge.residencies());
    ASSERT_EQ(judge.step_ns(), now.prediction.step_time_ns);
    const std::vector<int64_t> lost_ns = judge.LostNs();
    for (size_t k = 0; k < lost_ns.size(); ++k) {
      const KernelTrace& trace = now.kernels[k];
      const int64_t fast_ns =
          graph.kernels[k].profile.fast_inputs_fast_outputs.duration_ns;
      const bool is_last = k + 1 == lost_ns.size();
      const int64_t end_ns =
          is_last ? now.prediction.step_time_ns : trace.end_ns;
      ASSERT_EQ(lost_ns[k], trace.stall_ns + end_ns - trace.start_ns - fast_ns);
    }
  }
}

// Expects that the judge says what the simulator says. If `streams`, the first
// half of the kernels may stream.
void ExpectWhatTheSimulatorSays(const Graph& graph, const MemorySystem& system,
                                uint64_t seed, int proposals,
                                bool streams = false) {
  BuildInput input{.residencies = AllFastResidencies(graph),
                   .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
  for (KernelIndex k = 0; streams && k < graph.kernel_count() / 2; ++k) {
    input.streams.push_back({.kernel = k});
  }
  ExpectWhatTheSimulatorSays(graph, system, seed, proposals, input);
}

TEST(ResidencyJudgeTest, SaysWhatTheSimulatorSaysAfterAnyChange) {
  for (const char* name : {"optane", "gpu-pcie", "file", "cxl", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 6; ++seed) {
      ExpectWhatTheSimulatorSays(RandomGraph(seed), system, seed, 200);
    }
    ExpectWhatTheSimulatorSays(TrainingStepGraph(8, 1), system, 1, 300);
  }
}

TEST(ResidencyJudgeTest, SaysWhatTheSimulatorSaysWhereKernelsStream) {
  const MemorySystem system = *PresetMemorySystem("file");
  for (uint64_t seed = 0; seed < 6; ++seed) {
    ExpectWhatTheSimulatorSays(RandomGraph(seed), system, seed, 200, true);
  }
}

TEST(ResidencyJudgeTest, SaysWhatTheSimulatorSaysOfKernelsBesideCopies) {
  for (const char* name : {"optane", "file"}) {
    MemorySystem system = *PresetMemorySystem(name);
    for (CopyCurve& curve : system.copies) {
      curve.slowdown = {.compute = 0.1 * (1 + curve.from_tier), .memory = 0.7};
    }
    for (uint64_t seed = 0; seed < 6; ++seed) {
      ExpectWhatTheSimulatorSays(RandomGraph(seed), system, seed, 200);
    }
  }
}

TEST(ResidencyJudgeTest, SaysWhatTheSimulatorSaysOfLanesThatSlowOneAnother) {
  for (const char* name : {"file", "gpu-pcie", "g10-a100"}) {
    MemorySystem system = *PresetMemorySystem(name);
    for (CopyCurve& curve : system.copies) {
      curve.slowdown = {.compute = 0.1, .memory = 0.3};
      curve.both_ways_share = curve.from_tier == 0 ? 0.35 : 0.6;
    }
    for (uint64_t seed = 0; seed < 6; ++seed) {
      ExpectWhatTheSimulatorSays(RandomGraph(seed), system, seed, 200);
    }
  }
}

// At first every tensor comes for each use and goes behind it, and one that is
// not written there is dropped.
TEST(ResidencyJudgeTest, SaysWhatTheSimulatorSaysOfDrops) {
  for (const char* name : {"optane", "gpu-pcie", "g10-a100"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    for (uint64_t seed = 0; seed < 6; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t limit = 3 * ComputeLiveness(graph).peak_bytes;
      const BuildInput input{.residencies = StagedResidencies(
                                 graph, *MakeWorkload(graph, system, limit)),
                             .fast_limit_bytes = limit};
      ExpectWhatTheSimulatorSays(graph, system, seed, 200, input);
    }
  }
}

TEST(ResidencyJudgeTest, ChargesNoCopyOutOfWhatIsDropped) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  Graph graph;
  graph.tensors = {{.size_bytes = 1 << 20, .persistent = true}};
  graph.kernels.resize(3);
  graph.kernels[1].operands = {{.tensor = 0, .read = true}};
  const BuildInput input{.residencies = {{.tensor = 0,
                                          .begin = 1,
                                          .ready = 1,
                                          .leave = 2,
                                          .end = 3,
                                          .moved_in = true,
                                          .moved_out = true}}};
  const int64_t in_ns = system.CopyDurationNs(1, kFastTier, 1 << 20);
  const int64_t out_ns = system.CopyDurationNs(kFastTier, 1, 1 << 20);
  EXPECT_EQ(ResidencyJudge(graph, system, input, Allowed(graph, 0)).step_ns(),
            in_ns);
  graph.kernels[1].operands[0].write = true;
  EXPECT_EQ(ResidencyJudge(graph, system, input, Allowed(graph, 0)).step_ns(),
            in_ns + out_ns);
}

TEST(ResidencyJudgeTest, CountsWhatIsHeldAtOnce) {
  const MemorySystem system = *PresetMemorySystem("optane");
  Graph graph;
  graph.tensors = {{.size_bytes = 8192, .persistent = true},
                   {.size_bytes = 4096, .birth_kernel = 1, .death_kernel = 2}};
  graph.kernels.resize(4);
  ResidencyJudge judge(graph, system,
                       {.residencies = AllFastResidencies(graph)},
                       Allowed(graph, 10000));
  EXPECT_EQ(judge.excess_bytes(), 2288);
  EXPECT_EQ(judge.excess_boundary(), 1);
  judge.Replace({.tensor = 1});
  EXPECT_EQ(judge.Judge().excess_bytes, -1808);
  judge.Reject();
  EXPECT_EQ(judge.excess_bytes(), 2288);
  judge.Allow({10000, 9000, 8000, 10000, 10000});
  EXPECT_EQ(judge.excess_bytes(), 4288);
  EXPECT_EQ(judge.excess_boundary(), 2);
}

TEST(ResidencyJudgeTest, TakesInfinitelyLongWhereAnOperandCannotBeUsed) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  Graph graph;
  graph.tensors = {{.size_bytes = 8192, .birth_kernel = 0, .death_kernel = 1}};
  graph.kernels.resize(2);
  graph.kernels[1].operands = {{.tensor = 0, .read = true}};
  ResidencyJudge judge(graph, system,
                       {.residencies = AllFastResidencies(graph)},
                       Allowed(graph, 10000));
  judge.Replace({.tensor = 0});
  EXPECT_EQ(judge.Judge().step_ns, std::numeric_limits<int64_t>::max());
  judge.Reject();
  EXPECT_EQ(judge.Judge().step_ns, judge.step_ns());
}

}  // namespace
}  // namespace stowage::policies
