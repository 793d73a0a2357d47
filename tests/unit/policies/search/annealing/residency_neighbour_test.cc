#include "policies/search/annealing/residency_neighbour.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

ResidenciesByTensor ByTensor(const Graph& graph,
                             const std::vector<Residency>& residencies) {
  ResidenciesByTensor by_tensor(graph.tensors.size());
  for (const Residency& residency : residencies) {
    by_tensor[residency.tensor].push_back(residency);
  }
  return by_tensor;
}

std::vector<Residency> Joined(const ResidenciesByTensor& residencies) {
  std::vector<Residency> joined;
  for (const auto& of_tensor : residencies) {
    joined.insert(joined.end(), of_tensor.begin(), of_tensor.end());
  }
  return joined;
}

// With room for everything, each change that is drawn can be built and
// verified.
TEST(ResidencyNeighbourTest, ChangesAreValidPlans) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const bool slow_uses = system.tiers[1].addressable;
    int changes = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Graph graph = RandomGraph(seed);
      BuildInput input{
          .residencies = AllFastResidencies(graph),
          .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
      ResidencyNeighbour neighbour(graph, slow_uses, {});
      neighbour.Aim(0, std::vector<int64_t>(graph.kernels.size(), 1), 0.5);
      std::mt19937_64 random(seed);
      ResidenciesByTensor residencies = ByTensor(graph, input.residencies);
      for (int n = 0; n < 300; ++n) {
        const auto change = neighbour.Change(random, residencies);
        if (!change.has_value()) continue;
        residencies[change->tensor] = change->residencies;
        input.residencies = Joined(residencies);
        const auto plan = BuildPlan(graph, system, input);
        ASSERT_TRUE(plan.ok()) << name << seed << " " << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " change " << n;
        ++changes;
      }
    }
    EXPECT_GT(changes, 50) << name;
  }
}

// The departures verify as drops, too.
TEST(ResidencyNeighbourTest, WhatNeedNotBeCopiedOutLeavesBehindItsLastUse) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  int drops = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = RandomGraph(seed);
    const DropRule rule(graph);
    BuildInput input{.residencies = AllFastResidencies(graph),
                     .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
    const ResidencyNeighbour neighbour(graph, false, {});
    std::mt19937_64 random(seed);
    ResidenciesByTensor residencies = ByTensor(graph, input.residencies);
    for (int n = 0; n < 300; ++n) {
      const auto change = neighbour.Change(random, residencies);
      if (!change.has_value()) continue;
      residencies[change->tensor] = change->residencies;
      for (const Residency& residency : change->residencies) {
        const std::optional<KernelIndex> drop = rule.DropAt(residency);
        if (!drop.has_value()) continue;
        EXPECT_EQ(residency.leave, *drop);
        EXPECT_EQ(residency.end, *drop);
        ++drops;
      }
    }
    input.residencies = Joined(residencies);
    Plan plan = *BuildPlan(graph, system, input);
    MakeDrops(graph, plan);
    EXPECT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus()) << seed;
  }
  EXPECT_GT(drops, 50);
}

bool HoldsAt(const std::vector<Residency>& residencies, KernelIndex boundary) {
  return std::any_of(
      residencies.begin(), residencies.end(), [&](const Residency& residency) {
        return residency.begin <= boundary && boundary < residency.end;
      });
}

TEST(ResidencyNeighbourTest, EvictsFromABoundary) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    int evicted = 0;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Graph graph = RandomGraph(seed);
      const ResidencyNeighbour neighbour(graph, system.tiers[1].addressable,
                                         {});
      std::mt19937_64 random(seed);
      for (KernelIndex b = 0; b <= graph.kernel_count(); ++b) {
        BuildInput input{
            .residencies = AllFastResidencies(graph),
            .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
        ResidenciesByTensor residencies = ByTensor(graph, input.residencies);
        const auto change =
            neighbour.Evict(random, residencies, b, {b, b + 3}, 4096);
        if (!change.has_value()) continue;
        EXPECT_TRUE(HoldsAt(residencies[change->tensor], b));
        EXPECT_FALSE(HoldsAt(change->residencies, b))
            << name << seed << " " << b;
        residencies[change->tensor] = change->residencies;
        input.residencies = Joined(residencies);
        const auto plan = BuildPlan(graph, system, input);
        ASSERT_TRUE(plan.ok()) << name << seed << " " << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " boundary " << b;
        ++evicted;
      }
    }
    EXPECT_GT(evicted, 30) << name;
  }
}

// Returns `graph` so many times in a row, each time with tensors of its own,
// except for those that are alive as the step begins.
Graph Repeated(const Graph& graph, int times) {
  Graph repeated = graph;
  for (int n = 1; n < times; ++n) {
    const KernelIndex shift = n * graph.kernel_count();
    std::vector<TensorIndex> copy_of(graph.tensors.size());
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      copy_of[t] = t;
      if (graph.tensors[t].alive_at_start()) continue;
      copy_of[t] = repeated.tensor_count();
      Tensor& copy = repeated.tensors.emplace_back(graph.tensors[t]);
      copy.birth_kernel += shift;
      copy.death_kernel += shift;
    }
    for (const Kernel& kernel : graph.kernels) {
      Kernel& copy = repeated.kernels.emplace_back(kernel);
      for (Operand& operand : copy.operands) {
        operand.tensor = copy_of[operand.tensor];
      }
    }
  }
  return repeated;
}

// The plan is valid whichever tensors stand for each other, and whatever was
// changed before.
TEST(ResidencyNeighbourTest, WhatImitatesATwinIsAValidPlan) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    int changes = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Graph graph = Repeated(RandomGraph(seed), 4);
      BuildInput input{
          .residencies = AllFastResidencies(graph),
          .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
      const ResidencyNeighbour neighbour(graph, system.tiers[1].addressable,
                                         {});
      const KernelTwins twins(graph);
      std::mt19937_64 random(seed);
      ResidenciesByTensor residencies = ByTensor(graph, input.residencies);
      for (int n = 0; n < 400; ++n) {
        auto change = neighbour.Change(random, residencies);
        if (change.has_value()) {
          residencies[change->tensor] = change->residencies;
        }
        std::vector<int64_t> lost_ns(graph.kernels.size());
        for (int64_t& ns : lost_ns) ns = static_cast<int64_t>(random() % 1000);
        const auto stretch = twins.Draw(random, random() % lost_ns.size(),
                                        1 << random() % 5, LostTime(lost_ns));
        if (!stretch.has_value()) continue;
        for (const auto& [t, twin] : stretch->tensors) {
          change =
              neighbour.Imitate(*stretch, t, residencies[t], residencies[twin]);
          if (!change.has_value()) continue;
          residencies[t] = change->residencies;
          ++changes;
        }
        input.residencies = Joined(residencies);
        const auto plan = BuildPlan(graph, system, input);
        ASSERT_TRUE(plan.ok()) << name << seed << " " << plan.status();
        ASSERT_EQ(VerifyPlan(graph, system, *plan), absl::OkStatus())
            << name << " seed " << seed << " change " << n;
      }
    }
    EXPECT_GT(changes, 50) << name;
  }
}

TEST(ResidencyNeighbourTest, ImitatesWhatATwinDoesInTheStretchAlone) {
  Graph graph;
  graph.tensors = {{.size_bytes = 4096, .persistent = true}};
  graph.kernels.resize(40);
  for (Kernel& kernel : graph.kernels) {
    kernel.operands = {{.tensor = 0, .read = true}};
  }
  const std::vector<Residency> residencies = {{.begin = 20,
                                               .ready = 24,
                                               .leave = 26,
                                               .end = 26,
                                               .moved_in = true,
                                               .moved_out = true}};
  const ResidencyNeighbour neighbour(graph, true, {});
  const auto change = neighbour.Imitate({.kernels = {2, 12}, .shift = 15}, 0,
                                        residencies, residencies);
  ASSERT_TRUE(change.has_value());
  ASSERT_EQ(change->residencies.size(), 2u);
  EXPECT_EQ(change->residencies[0].begin, 5);
  EXPECT_EQ(change->residencies[0].ready, 9);
  EXPECT_EQ(change->residencies[0].end, 11);
  EXPECT_EQ(change->residencies[1].begin, 20);
  EXPECT_EQ(change->residencies[1].end, 26);
}

TEST(ResidencyNeighbourTest, LeavesStreamedTensorsAlone) {
  const Graph graph = TrainingStepGraph(3, 1);
  std::vector<Stream> streams(1);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    streams[0].tensors.push_back(t);
  }
  const ResidencyNeighbour neighbour(graph, true, streams);
  const ResidenciesByTensor residencies =
      ByTensor(graph, AllFastResidencies(graph));
  std::mt19937_64 random(1);
  for (int n = 0; n < 100; ++n) {
    EXPECT_FALSE(neighbour.Change(random, residencies).has_value());
  }
}

}  // namespace
}  // namespace stowage::policies
