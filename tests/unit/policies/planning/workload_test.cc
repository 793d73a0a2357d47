#include "policies/planning/workload.h"

#include <algorithm>
#include <optional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns a step of two kernels: kernel 0 reads 100 MiB and writes 20 MiB,
// kernel 1 reads the 20 MiB.
Graph LargeKernel() {
  Graph graph;
  graph.name = "large";
  graph.tensors.resize(2);
  graph.tensors[0] = {.size_bytes = 100 * kMiB, .persistent = true};
  graph.tensors[1] = {
      .size_bytes = 20 * kMiB, .birth_kernel = 0, .death_kernel = 1};
  graph.kernels.resize(2);
  graph.kernels[0].name = "aten::mm";
  graph.kernels[0].operands = {{.tensor = 0, .read = true},
                               {.tensor = 1, .write = true}};
  graph.kernels[1].name = "aten::relu";
  graph.kernels[1].operands = {{.tensor = 1, .read = true}};
  return graph;
}

TEST(WorkloadTest, NeedsEveryOperandWhereSlowerTiersCannotBeUsed) {
  const MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  EXPECT_EQ(FindLeastLimit(LargeKernel(), gpu).bytes, 120 * kMiB);
  const auto workload = MakeWorkload(LargeKernel(), gpu, 120 * kMiB);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_THAT(workload->staged[0], ElementsAre(0, 1));
  EXPECT_THAT(workload->left_slow[0], IsEmpty());
  EXPECT_EQ(workload->need_bytes[0], 120 * kMiB);
}

TEST(WorkloadTest, RefusesALowerLimitAndNamesKernelAndRemedy) {
  const absl::Status status =
      MakeWorkload(LargeKernel(), *PresetMemorySystem("gpu-pcie"),
                   120 * kMiB - 1)
          .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("kernel 0 (aten::mm)"),
                    HasSubstr("the least limit that works is 120 MiB")));
}

TEST(WorkloadTest, SaysThatTheFastTierHasNoMoreWhereThatIsTheLimit) {
  MemorySystem gpu = *PresetMemorySystem("gpu-pcie");
  gpu.tiers[kFastTier].capacity_bytes = 60 * kMiB;
  EXPECT_THAT(DescribeFastLimit(gpu, 60 * kMiB), HasSubstr("the capacity of"));
  EXPECT_THAT(DescribeFastLimit(gpu, 50 * kMiB),
              Not(HasSubstr("the capacity of")));
}

TEST(WorkloadTest, StreamsTheLargestOperandsWhereTheTierIsStreamable) {
  const MemorySystem file = *PresetMemorySystem("file");
  const auto workload = MakeWorkload(LargeKernel(), file, 60 * kMiB);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_EQ(workload->arena_bytes, 60 * kMiB);
  EXPECT_THAT(workload->left_slow[0], ElementsAre(0));
  EXPECT_THAT(workload->staged[0], ElementsAre(1));
  ASSERT_EQ(workload->streams.size(), 1);
  EXPECT_EQ(workload->streams[0].kernel, 0);
  EXPECT_THAT(workload->streams[0].tensors, ElementsAre(0));
}

TEST(WorkloadTest, StreamsNothingWhenEveryKernelFits) {
  const MemorySystem file = *PresetMemorySystem("file");
  EXPECT_FALSE(WithStreamWindows(LargeKernel(), file, 120 * kMiB).has_value());
  const auto workload = MakeWorkload(LargeKernel(), file, 120 * kMiB);
  EXPECT_THAT(workload->streams, IsEmpty());
}

TEST(WorkloadTest, UsesLargeOperandsInPlaceWhereTheTierIsAddressable) {
  const MemorySystem optane = *PresetMemorySystem("optane");
  EXPECT_EQ(FindLeastLimit(LargeKernel(), optane).bytes, 0);
  const auto workload = MakeWorkload(LargeKernel(), optane, 30 * kMiB);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_THAT(workload->left_slow[0], ElementsAre(0));
  EXPECT_THAT(workload->streams, IsEmpty());
}

TEST(WorkloadTest, KernelsThatStreamGetAWindowAndNoOthers) {
  const MemorySystem file = *PresetMemorySystem("file");
  const Graph graph = LargeKernel();
  const std::optional<Graph> windows =
      WithStreamWindows(graph, file, 60 * kMiB);
  ASSERT_TRUE(windows.has_value());
  ASSERT_EQ(windows->tensor_count(), graph.tensor_count() + 1);
  const Tensor& window = windows->tensors.back();
  // What the 20 MiB leave.
  EXPECT_EQ(window.size_bytes, 40 * kMiB);
  EXPECT_EQ(window.birth_kernel, 0);
  EXPECT_EQ(window.death_kernel, 0);
  EXPECT_FALSE(window.movable());
  const auto workload = MakeWorkload(*windows, file, 60 * kMiB);
  ASSERT_TRUE(workload.ok()) << workload.status();
  EXPECT_THAT(workload->staged[0], Contains(graph.tensor_count()));
  ASSERT_EQ(workload->streams.size(), 1);
  EXPECT_EQ(workload->streams[0].kernel, 0);
  EXPECT_FALSE(
      WithStreamWindows(graph, *PresetMemorySystem("optane"), 60 * kMiB)
          .has_value());
}

TEST(WorkloadTest, NoKernelStreamsForTheSakeOfAWindow) {
  const MemorySystem file = *PresetMemorySystem("file");
  // The second kernel needs 20 MiB, which the window leaves it.
  const auto windows = WithStreamWindows(LargeKernel(), file, 20 * kMiB);
  ASSERT_TRUE(windows.has_value());
  EXPECT_EQ(windows->tensors.back().size_bytes, 20 * kMiB);
  EXPECT_EQ(MakeWorkload(*windows, file, 20 * kMiB)->streams.size(), 1);
}

// Returns a step of one kernel, which reads 40 MiB and 20 MiB and writes 20 MiB
// that lived before.
Graph Product() {
  Graph graph;
  graph.name = "product";
  for (const int64_t size_bytes : {40 * kMiB, 20 * kMiB, 20 * kMiB}) {
    graph.tensors.push_back({.size_bytes = size_bytes, .persistent = true});
  }
  graph.kernels.resize(1);
  graph.kernels[0].name = "aten::mm";
  graph.kernels[0].operands = {{.tensor = 0, .read = true},
                               {.tensor = 1, .read = true},
                               {.tensor = 2, .write = true}};
  return graph;
}

int64_t WindowBytes(const Graph& graph, int64_t limit_bytes) {
  const MemorySystem file = *PresetMemorySystem("file");
  const auto windows = WithStreamWindows(graph, file, limit_bytes);
  return windows.has_value() ? windows->tensors.back().size_bytes : 0;
}

TEST(WorkloadTest, TheWindowHasHalfOfWhatStreams) {
  EXPECT_EQ(WindowBytes(Product(), 60 * kMiB), 20 * kMiB);
  // The largest operand alone would have 16 MiB; the next one streams, too.
  EXPECT_EQ(WindowBytes(Product(), 56 * kMiB), 36 * kMiB);
}

TEST(WorkloadTest, TwoThirdsOfTheLimitOr64MiBAreEnoughOfAWindow) {
  EXPECT_EQ(WindowBytes(Product(), 30 * kMiB), 30 * kMiB);
  Graph large = Product();
  for (Tensor& tensor : large.tensors) tensor.size_bytes *= 100;
  EXPECT_EQ(WindowBytes(large, 4100 * kMiB), 64 * kMiB);
}

TEST(WorkloadTest, AWindowInWhichNothingWasReadTwiceIsEnough) {
  Graph graph = Product();
  graph.kernels[0].streamed = {.bytes = 1, .window_bytes = 16 * kMiB};
  EXPECT_EQ(WindowBytes(graph, 56 * kMiB), 16 * kMiB);
  EXPECT_EQ(WindowBytes(graph, 60 * kMiB), 20 * kMiB);
  // The largest operand alone would leave too little to read ahead.
  graph.kernels[0].streamed.window_bytes = kMiB;
  EXPECT_EQ(WindowBytes(graph, 43 * kMiB), 23 * kMiB);
}

TEST(WorkloadTest, WhatStreamedOnceStreamsAgain) {
  const MemorySystem file = *PresetMemorySystem("file");
  Graph graph = Product();
  graph.kernels[0].operands[1].streamed = true;
  graph.kernels[0].streamed = {.bytes = 1, .window_bytes = 8 * kMiB};
  const auto windows = WithStreamWindows(graph, file, 70 * kMiB);
  EXPECT_EQ(windows->tensors.back().size_bytes, 10 * kMiB);
  EXPECT_THAT(MakeWorkload(*windows, file, 70 * kMiB)->streams[0].tensors,
              ElementsAre(1));
  // It was read again and again.
  graph.kernels[0].streamed.window_bytes = 0;
  EXPECT_THAT(
      MakeWorkload(*WithStreamWindows(graph, file, 70 * kMiB), file, 70 * kMiB)
          ->streams[0]
          .tensors,
      ElementsAre(0));
}

TEST(WorkloadTest, ScatteredOperandsStreamLast) {
  const MemorySystem file = *PresetMemorySystem("file");
  Graph graph = Product();
  graph.kernels[0].operands[0].scattered = true;
  const auto windows = WithStreamWindows(graph, file, 70 * kMiB);
  EXPECT_THAT(MakeWorkload(*windows, file, 70 * kMiB)->streams[0].tensors,
              ElementsAre(1));
}

TEST(WorkloadTest, WindowsAreMultiplesOf256KiB) {
  EXPECT_EQ(WindowBytes(Product(), kMiB - 1), 0);
  EXPECT_EQ(WindowBytes(Product(), 5 * kMiB / 4 - 1), kMiB);
  EXPECT_EQ(WindowBytes(Product(), 7 * kMiB / 2 + 1), 7 * kMiB / 2);
}

TEST(WorkloadTest, TheLeastLimitIsTheLeast) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = RandomGraph(seed);
    for (const char* name : {"optane", "file", "gpu-pcie"}) {
      const MemorySystem system = *PresetMemorySystem(name);
      const LeastLimit least = FindLeastLimit(graph, system);
      EXPECT_TRUE(MakeWorkload(graph, system, least.bytes).ok())
          << seed << " " << name;
      if (least.bytes == 0) continue;
      EXPECT_FALSE(MakeWorkload(graph, system, least.bytes - 1).ok())
          << seed << " " << name;
    }
  }
}

TEST(WorkloadTest, EveryKernelFitsItsArena) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const Graph graph = RandomGraph(seed);
    const MemorySystem system = *PresetMemorySystem("file");
    const int64_t least = FindLeastLimit(graph, system).bytes;
    const auto workload = MakeWorkload(graph, system, least + least / 8);
    ASSERT_TRUE(workload.ok());
    for (const int64_t bytes : workload->need_bytes) {
      EXPECT_LE(bytes, workload->arena_bytes) << seed;
    }
  }
}

}  // namespace
}  // namespace stowage::policies
