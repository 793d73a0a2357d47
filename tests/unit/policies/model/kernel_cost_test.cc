#include "policies/model/kernel_cost.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Reads 10 GB/s fast, 5 GB/s slow, 2.5 GB/s slowest; writes half of that.
MemorySystem ThreeTiers() {
  MemorySystem system;
  for (const int64_t speed : {10 * kGB, 5 * kGB, kGB * 5 / 2}) {
    Tier tier;
    tier.addressable = true;
    tier.read = {{1, speed}};
    tier.write = {{1, speed / 2}};
    system.tiers.push_back(tier);
  }
  return system;
}

// Reads 1 MB (twice) and 2 MB, writes 3 MB.
Graph OneKernel() {
  Graph graph;
  graph.tensors.resize(3);
  for (int t = 0; t < 3; ++t) graph.tensors[t].size_bytes = 1'000'000 * (t + 1);
  Kernel kernel;
  kernel.operands = {{.tensor = 0, .read = true, .access_count = 2},
                     {.tensor = 1, .read = true},
                     {.tensor = 2, .write = true}};
  kernel.profile.fast_inputs_fast_outputs = {1'000'000,
                                             DurationSource::kMeasured};
  graph.kernels = {kernel};
  return graph;
}

int64_t Duration(const Graph& graph, const MemorySystem& system,
                 const std::vector<TierIndex>& tiers) {
  const Kernel& kernel = graph.kernels[0];
  return KernelDurationNs(graph, kernel, system,
                          [&](TensorIndex t) { return tiers[t]; });
}

TEST(KernelCostTest, DerivesMissingCornersFromBytesAndBandwidth) {
  const Graph graph = OneKernel();
  const KernelProfile profile =
      CompleteProfile(graph, graph.kernels[0], ThreeTiers());
  // 4 MB read cost 0.1 ns a byte more, 3 MB written 0.2 ns a byte.
  EXPECT_EQ(profile.slow_inputs_fast_outputs.duration_ns, 1'400'000);
  EXPECT_EQ(profile.fast_inputs_slow_outputs.duration_ns, 1'600'000);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.duration_ns, 2'000'000);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.source, DurationSource::kDerived);
  EXPECT_EQ(profile.fast_inputs_fast_outputs.source, DurationSource::kMeasured);
}

TEST(KernelCostTest, KeepsMeasuredCorners) {
  Graph graph = OneKernel();
  graph.kernels[0].profile.slow_inputs_fast_outputs = {
      7'000'000, DurationSource::kMeasured};
  EXPECT_EQ(Duration(graph, ThreeTiers(), {1, 1, 0}), 7'000'000);
}

TEST(KernelCostTest, IsLinearInTheShareOfBytesTouched) {
  const Graph graph = OneKernel();
  EXPECT_EQ(Duration(graph, ThreeTiers(), {0, 0, 0}), 1'000'000);
  // Tensor 0 is half of what is read: 2 x 1 MB of 4 MB.
  EXPECT_EQ(Duration(graph, ThreeTiers(), {1, 0, 0}), 1'200'000);
  EXPECT_EQ(Duration(graph, ThreeTiers(), {0, 1, 0}), 1'200'000);
  EXPECT_EQ(Duration(graph, ThreeTiers(), {1, 1, 1}), 2'000'000);
}

TEST(KernelCostTest, ScalesAThirdTierByWhatItCostsMore) {
  const Graph graph = OneKernel();
  // A byte read costs 0.3 ns more there, three times the second tier's 0.1.
  EXPECT_EQ(Duration(graph, ThreeTiers(), {2, 2, 0}), 1'000'000 + 3 * 400'000);
}

TEST(KernelCostTest, CountsTiersThatAreNotAddressableAsFast) {
  const Graph graph = OneKernel();
  const MemorySystem file = *PresetMemorySystem("file");
  EXPECT_EQ(Duration(graph, file, {1, 1, 1}), 1'000'000);
}

TEST(KernelCostTest, StreamsAsFastAsCopiesWhereNothingWasMeasured) {
  Graph graph = OneKernel();
  Kernel& kernel = graph.kernels[0];
  const MemorySystem system = ThreeTiers();
  const int64_t in_ns = system.CopyDurationNs(1, 0, 1'000'000);
  const int64_t out_ns = system.CopyDurationNs(0, 1, 1'000'000);
  Operand& operand = kernel.operands[0];
  EXPECT_EQ(StreamNs(graph, kernel, operand, system, 1), in_ns);
  operand.write = true;
  EXPECT_EQ(StreamNs(graph, kernel, operand, system, 1), in_ns + out_ns);
}

TEST(KernelCostTest, StreamsAsFastAsWasMeasuredOfTheKernel) {
  Graph graph = OneKernel();
  Kernel& kernel = graph.kernels[0];
  kernel.streamed = {.bytes = 4'000'000, .duration_ns = 8'000};
  Operand& operand = kernel.operands[0];
  EXPECT_EQ(StreamNs(graph, kernel, operand, ThreeTiers(), 1), 2'000);
  operand.write = true;
  EXPECT_EQ(StreamNs(graph, kernel, operand, ThreeTiers(), 1), 4'000);
}

TEST(KernelCostTest, AnOperandThatDidNotStreamBesideOthersMayDoSoFarWorse) {
  Graph graph = OneKernel();
  Kernel& kernel = graph.kernels[0];
  kernel.streamed = {.bytes = 4'000'000, .duration_ns = 8'000};
  kernel.operands[0].streamed = true;
  EXPECT_EQ(StreamNs(graph, kernel, kernel.operands[0], ThreeTiers(), 1),
            2'000);
  const Operand other{.tensor = 0, .read = true};
  EXPECT_EQ(StreamNs(graph, kernel, other, ThreeTiers(), 1),
            8 * ThreeTiers().CopyDurationNs(1, 0, 1'000'000));
}

TEST(KernelCostTest, AScatteredOperandIsNotThoughtToStreamWell) {
  Graph graph = OneKernel();
  Kernel& kernel = graph.kernels[0];
  kernel.streamed = {.bytes = 1'000'000, .duration_ns = 3'000};
  Operand& operand = kernel.operands[0];
  operand.streamed = operand.scattered = true;
  const int64_t doubted_ns = 8 * ThreeTiers().CopyDurationNs(1, 0, 1'000'000);
  EXPECT_EQ(StreamNs(graph, kernel, operand, ThreeTiers(), 1), doubted_ns);
  kernel.streamed.duration_ns = 2 * doubted_ns;
  EXPECT_EQ(StreamNs(graph, kernel, operand, ThreeTiers(), 1), 2 * doubted_ns);
}

TEST(KernelCostTest, AKernelThatHasNotStreamedDoesItAsFastAsTheOthers) {
  Graph graph = OneKernel();
  graph.streamed = {.bytes = 4'000'000, .duration_ns = 8'000};
  Kernel& kernel = graph.kernels[0];
  EXPECT_EQ(StreamNs(graph, kernel, kernel.operands[0], ThreeTiers(), 1),
            2'000);
  kernel.streamed = {.bytes = 1'000'000, .duration_ns = 3'000};
  EXPECT_EQ(StreamNs(graph, kernel, kernel.operands[0], ThreeTiers(), 1),
            3'000);
}

}  // namespace
}  // namespace stowage::policies
