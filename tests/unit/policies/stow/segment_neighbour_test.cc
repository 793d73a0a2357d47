#include "policies/stow/segment_neighbour.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/drops.h"
#include "policies/planning/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage {
namespace {

StaysByTensor ByTensor(const Graph& graph,
                       const std::vector<FastSegment>& segments) {
  StaysByTensor stays(graph.tensors.size());
  for (const FastSegment& segment : segments) {
    stays[segment.tensor].push_back(segment);
  }
  return stays;
}

std::vector<FastSegment> Joined(const StaysByTensor& stays) {
  std::vector<FastSegment> segments;
  for (const auto& of_tensor : stays) {
    segments.insert(segments.end(), of_tensor.begin(), of_tensor.end());
  }
  return segments;
}

// Where there is room for all, whatever is drawn can be built and verified.
TEST(SegmentNeighbourTest, ChangesAreValidPlans) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    const bool slow_uses = system.tiers[1].addressable;
    int changes = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Graph graph = RandomGraph(seed);
      BuildInput input{
          .segments = AllFastSegments(graph),
          .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
      SegmentNeighbour neighbour(graph, slow_uses, {});
      neighbour.Aim(std::vector<int64_t>(graph.kernels.size(), 1), 0.5);
      std::mt19937_64 random(seed);
      StaysByTensor stays = ByTensor(graph, input.segments);
      for (int n = 0; n < 300; ++n) {
        const auto change = neighbour.Change(random, stays);
        if (!change.has_value()) continue;
        stays[change->tensor] = change->stays;
        input.segments = Joined(stays);
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

// They verify as drops, too.
TEST(SegmentNeighbourTest, WhatNeedNotBeCopiedOutLeavesBehindItsLastUse) {
  const MemorySystem system = *PresetMemorySystem("gpu-pcie");
  int drops = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    const Graph graph = RandomGraph(seed);
    const DropRule rule(graph);
    BuildInput input{.segments = AllFastSegments(graph),
                     .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
    const SegmentNeighbour neighbour(graph, false, {});
    std::mt19937_64 random(seed);
    StaysByTensor stays = ByTensor(graph, input.segments);
    for (int n = 0; n < 300; ++n) {
      const auto change = neighbour.Change(random, stays);
      if (!change.has_value()) continue;
      stays[change->tensor] = change->stays;
      for (const FastSegment& stay : change->stays) {
        const std::optional<KernelIndex> drop = rule.DropAt(stay);
        if (!drop.has_value()) continue;
        EXPECT_EQ(stay.leave, *drop);
        EXPECT_EQ(stay.end, *drop);
        ++drops;
      }
    }
    input.segments = Joined(stays);
    Plan plan = *BuildPlan(graph, system, input);
    MakeDrops(graph, plan);
    EXPECT_EQ(VerifyPlan(graph, system, plan), absl::OkStatus()) << seed;
  }
  EXPECT_GT(drops, 50);
}

bool HoldsAt(const std::vector<FastSegment>& stays, KernelIndex boundary) {
  return std::any_of(stays.begin(), stays.end(), [&](const FastSegment& stay) {
    return stay.begin <= boundary && boundary < stay.end;
  });
}

TEST(SegmentNeighbourTest, EvictsFromABoundary) {
  for (const char* name : {"optane", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    int evicted = 0;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const Graph graph = RandomGraph(seed);
      const SegmentNeighbour neighbour(graph, system.tiers[1].addressable, {});
      std::mt19937_64 random(seed);
      for (KernelIndex b = 0; b <= graph.kernel_count(); ++b) {
        BuildInput input{
            .segments = AllFastSegments(graph),
            .fast_limit_bytes = 3 * ComputeLiveness(graph).peak_bytes};
        StaysByTensor stays = ByTensor(graph, input.segments);
        const auto change = neighbour.Evict(random, stays, b, {b, b + 3}, 4096);
        if (!change.has_value()) continue;
        EXPECT_TRUE(HoldsAt(stays[change->tensor], b));
        EXPECT_FALSE(HoldsAt(change->stays, b)) << name << seed << " " << b;
        stays[change->tensor] = change->stays;
        input.segments = Joined(stays);
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

TEST(SegmentNeighbourTest, LeavesStreamedTensorsAlone) {
  const Graph graph = TrainingStepGraph(3, 1);
  std::vector<Stream> streams(1);
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    streams[0].tensors.push_back(t);
  }
  const SegmentNeighbour neighbour(graph, true, streams);
  const StaysByTensor stays = ByTensor(graph, AllFastSegments(graph));
  std::mt19937_64 random(1);
  for (int n = 0; n < 100; ++n) {
    EXPECT_FALSE(neighbour.Change(random, stays).has_value());
  }
}

}  // namespace
}  // namespace stowage
