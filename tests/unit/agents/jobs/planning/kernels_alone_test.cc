#include "agents/jobs/planning/kernels_alone.h"

#include <vector>

#include "agents/jobs/planning/graph_builder.h"
#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "policies/model/presets.h"
#include "policies/simulate/interference.h"
#include "tests/unit/agents/jobs/profile_builder.h"

namespace stowage::agent {
namespace {

v1::MemorySystem SlowedSystem(double compute, double memory) {
  v1::MemorySystem system =
      MemorySystemToProto(*policies::PresetMemorySystem("file"));
  for (v1::CopyCurve& curve : *system.mutable_copies()) {
    curve.mutable_slowdown()->set_compute(compute);
    curve.mutable_slowdown()->set_memory(memory);
  }
  return system;
}

// Returns how long the only kernel takes alone, after it took `duration_ns`.
int64_t AloneNs(const v1::MemorySystem& system, int64_t duration_ns,
                session::LaneTimes beside, int64_t operand_bytes = 4096) {
  ProfileBuilder builder;
  const uint32_t block = builder.AddBlock(Lasting(1, operand_bytes));
  const uint32_t kernel = builder.AddKernel("aten::mm", {{block}});
  builder.area().kernels[kernel].duration_ns = duration_ns;
  builder.area().kernels[kernel].beside = beside;
  const auto profile = builder.Copy();
  EXPECT_TRUE(profile.ok()) << profile.status();
  v1::Graph graph = BuildGraph(*profile).graph;
  TakeOutSlowdowns(*profile, system, &graph);
  return graph.kernels(0).profile().fast_inputs_fast_outputs().duration_ns();
}

TEST(KernelsAloneTest, AKernelWithoutCopiesKeepsItsDuration) {
  EXPECT_EQ(AloneNs(SlowedSystem(0.5, 0.5), 1'000'000, {}), 1'000'000);
}

TEST(KernelsAloneTest, AKernelBesideACopyWouldBeShorterAlone) {
  EXPECT_EQ(AloneNs(SlowedSystem(0.5, 0.5), 1'500'000, {.out_ns = 1'500'000}),
            1'000'000);
  EXPECT_EQ(AloneNs(SlowedSystem(0.5, 0.5), 1'500'000,
                    {.out_ns = 750'000, .in_ns = 750'000}),
            1'000'000);
}

TEST(KernelsAloneTest, AHostThatMeasuredNothingKeepsDurations) {
  EXPECT_EQ(AloneNs(SlowedSystem(0, 0), 1'000'000, {.in_ns = 1'000'000}),
            1'000'000);
}

TEST(KernelsAloneTest, UndoesWhatTheSimulatorDoes) {
  constexpr int64_t kAloneNs = 40'000'000;
  constexpr int64_t kBytes = 64 << 20;
  const v1::MemorySystem system = SlowedSystem(0.1, 0.1);
  policies::Graph graph;
  graph.tensors = {{.size_bytes = kBytes, .persistent = true}};
  graph.kernels.resize(1);
  graph.kernels[0].operands = {{.tensor = 0, .read = true}};
  graph.kernels[0].profile.fast_inputs_fast_outputs.duration_ns = kAloneNs;
  const policies::Interference interference(
      graph, *policies::MemorySystemFromProto(system), {{0, 1}, {1, 0}});
  const std::vector<int64_t> busy(2, int64_t{1} << 40);
  const int64_t slowed_ns = interference.DurationNs(0, 0, kAloneNs, busy);
  EXPECT_EQ(slowed_ns, kAloneNs * 12 / 10);
  EXPECT_NEAR(AloneNs(system, slowed_ns, {slowed_ns, slowed_ns}, kBytes),
              kAloneNs, 1);
}

}  // namespace
}  // namespace stowage::agent
