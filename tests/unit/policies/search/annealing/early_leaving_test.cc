#include "policies/search/annealing/early_leaving.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/plan_residencies.h"
#include "policies/registry.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

// A step of 10 s in which kernel 1 writes a tensor and kernel 7 reads it, before
// it leaves. Returns when its copy begins, and when it has ended.
std::pair<KernelIndex, KernelIndex> LeavesOf(KernelIndex written_again,
                                             KernelIndex other_leaves) {
  Graph graph;
  graph.tensors.assign(2, {.size_bytes = 1 << 20, .persistent = true});
  graph.kernels.resize(10);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns = 1'000'000'000;
  }
  const MemorySystem system = *PresetMemorySystem("file");
  // The other tensor's copy takes its lane for almost three kernels.
  graph.tensors[1].size_bytes = 1 << 20;
  while (system.CopyDurationNs(kFastTier, 1, graph.tensors[1].size_bytes) <
         2'500'000'000) {
    graph.tensors[1].size_bytes += 100 << 20;
  }
  graph.kernels[1].operands = {{.tensor = 0, .write = true}};
  graph.kernels[written_again].operands.push_back(
      {.tensor = 0, .read = true, .write = true});
  graph.kernels[7].operands = {{.tensor = 0, .read = true}};
  BuildInput input{
      .residencies = {{.tensor = 0, .leave = 8, .end = 9, .moved_out = true},
                      {.tensor = 1,
                       .leave = other_leaves,
                       .end = other_leaves + 3,
                       .moved_out = true}}};
  LeaveEarly(graph, system, input);
  return {input.residencies[0].leave, input.residencies[0].end};
}

TEST(EarlyLeavingTest, ATensorLeavesOnceNothingWritesItAnyMore) {
  EXPECT_EQ(LeavesOf(/*written_again=*/1, /*other_leaves=*/6), std::pair(2, 8));
  EXPECT_EQ(LeavesOf(/*written_again=*/4, /*other_leaves=*/6), std::pair(5, 8));
}

TEST(EarlyLeavingTest, WhatLeavesEarlyMakesNoOtherCopyLate) {
  // Its lane is busy until within kernel 4.
  EXPECT_EQ(LeavesOf(/*written_again=*/1, /*other_leaves=*/2), std::pair(4, 8));
  EXPECT_EQ(LeavesOf(/*written_again=*/4, /*other_leaves=*/5), std::pair(7, 8));
}

// Returns when a tensor leaves that kernel 0 writes and kernel 3 reads. Copies
// beside kernels 1 and 2, which only use memory, slow these so much; kernel 4
// does not care.
KernelIndex LeaveOf(double slowdown) {
  Graph graph;
  graph.tensors = {{.size_bytes = 1 << 20, .persistent = true},
                   {.size_bytes = int64_t{1} << 40, .persistent = true}};
  graph.kernels.resize(5);
  for (Kernel& kernel : graph.kernels) {
    kernel.profile.fast_inputs_fast_outputs.duration_ns = 1'000'000'000;
  }
  graph.kernels[0].operands = {{.tensor = 0, .write = true}};
  graph.kernels[1].operands = {{.tensor = 1, .read = true}};
  graph.kernels[2].operands = {{.tensor = 1, .read = true}};
  graph.kernels[3].operands = {{.tensor = 0, .read = true}};
  MemorySystem system = *PresetMemorySystem("file");
  system.copies = {{.from_tier = kFastTier,
                    .to_tier = 1,
                    .points = {{1 << 20, 1'000'000'000}},
                    .slowdown = {.memory = slowdown}}};
  BuildInput input{
      .residencies = {{.tensor = 0, .leave = 4, .end = 5, .moved_out = true}}};
  LeaveEarly(graph, system, input);
  return input.residencies[0].leave;
}

TEST(EarlyLeavingTest, NothingLeavesEarlyWhereTheStepWouldBeLonger) {
  EXPECT_EQ(LeaveOf(/*slowdown=*/0), 1);
  EXPECT_EQ(LeaveOf(/*slowdown=*/100), 4);
}

TEST(EarlyLeavingTest, PlansOfRandomGraphsStayPlans) {
  for (const char* name : {"optane", "file", "gpu-pcie"}) {
    const MemorySystem system = *PresetMemorySystem(name);
    int early = 0;
    for (uint64_t seed = 0; seed < 8; ++seed) {
      const Graph graph = RandomGraph(seed);
      const int64_t limit = ComputeLiveness(graph).peak_bytes * 6 / 10;
      const auto plan =
          (*MakePolicy("belady"))
              ->MakePlan(graph, system, {.fast_limit_bytes = limit});
      if (!plan.ok()) continue;
      BuildInput input = *BuildInputOf(graph, *plan);
      const std::vector<Residency> before = input.residencies;
      LeaveEarly(graph, system, input);
      for (size_t i = 0; i < before.size(); ++i) {
        early += input.residencies[i].leave < before[i].leave ? 1 : 0;
      }
      const auto built = BuildPlan(graph, system, input);
      ASSERT_TRUE(built.ok()) << name << seed << built.status();
      EXPECT_EQ(VerifyPlan(graph, system, *built), absl::OkStatus())
          << name << seed;
    }
    EXPECT_GT(early, 0) << name;
  }
}

}  // namespace
}  // namespace stowage::policies
