#include "policies/scaling/rehosting.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// 1 GFLOP/s and 1 GB/s; every byte is a nanosecond.
constexpr ProcessorPeak kThere{kGB, kGB};

// Reads 1000 bytes and writes 1000 for `flops` operations.
Kernel MakeKernel(int64_t flops, int64_t duration_ns) {
  Kernel kernel;
  kernel.operands = {{.tensor = 0, .read = true}, {.tensor = 1, .write = true}};
  kernel.flops = flops;
  kernel.profile.fast_inputs_fast_outputs = {duration_ns,
                                             DurationSource::kMeasured};
  kernel.profile.slow_inputs_slow_outputs = {9 * duration_ns,
                                             DurationSource::kMeasured};
  return kernel;
}

Graph MakeGraph(std::vector<Kernel> kernels) {
  Graph graph;
  graph.tensors = {{.size_bytes = 1000}, {.size_bytes = 1000}};
  graph.kernels = std::move(kernels);
  graph.processor = "there";
  graph.processor_peak = kThere;
  return graph;
}

MemorySystem Here(int64_t flops_per_second, int64_t bytes_per_second) {
  MemorySystem system;
  Tier fast;
  fast.addressable = true;
  fast.read = fast.write = {{1, bytes_per_second}};
  system.tiers = {fast, fast};
  system.processor = "here";
  system.processor_flops_per_second = flops_per_second;
  return system;
}

int64_t FastNs(const Graph& graph, KernelIndex k) {
  return graph.kernels[k].profile.fast_inputs_fast_outputs.duration_ns;
}

TEST(RehostingTest, ScalesByFlopsWhereFlopsBindOnBothMachines) {
  // 10 us of 1 us launch: half of the roofline, which is 4.5 us.
  const Graph graph =
      MakeGraph({MakeKernel(0, 1000), MakeKernel(4500, 10'000)});
  const Graph here = Rehost(graph, Here(3 * kGB, kGB));
  // On three times the FLOP/s bytes bind: 2000 ns at half of the roofline.
  EXPECT_EQ(FastNs(here, 1), 1000 + 2 * 2000);
  EXPECT_EQ(FastNs(Rehost(graph, Here(2 * kGB, 8 * kGB)), 1), 1000 + 4500);
}

TEST(RehostingTest, ScalesByBytesWhereFlopsAreUnknown) {
  const Graph graph = MakeGraph({MakeKernel(0, 1000), MakeKernel(0, 5000)});
  EXPECT_EQ(FastNs(Rehost(graph, Here(1, 4 * kGB)), 1), 1000 + 4000 / 4);
}

TEST(RehostingTest, TakesNoMoreThanAllOfTheRoofline) {
  // The kernel took 500 ns above its launch, less than 2000 bytes need.
  const Graph graph = MakeGraph({MakeKernel(0, 100), MakeKernel(0, 600)});
  EXPECT_EQ(FastNs(Rehost(graph, Here(1, 2 * kGB)), 1), 100 + 1000);
}

TEST(RehostingTest, LeavesKernelsWithoutWorkAndTheHostsTimeAlone) {
  Graph graph = MakeGraph({MakeKernel(0, 100), MakeKernel(8, 700)});
  graph.kernels[1].operands.clear();
  graph.kernels[1].flops = 0;
  graph.kernels[1].gap_ns = 42;
  const Graph here = Rehost(graph, Here(kGB, 100 * kGB));
  EXPECT_EQ(FastNs(here, 1), 700);
  EXPECT_EQ(here.kernels[1].gap_ns, 42);
}

TEST(RehostingTest, MarksDurationsAndLeavesSlowCornersToBeDerived) {
  const Graph here = Rehost(MakeGraph({MakeKernel(8, 700)}), Here(kGB, kGB));
  const KernelProfile& profile = here.kernels[0].profile;
  EXPECT_EQ(profile.fast_inputs_fast_outputs.source, DurationSource::kRehosted);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.source,
            DurationSource::kUnspecified);
  EXPECT_EQ(here.processor, "here");
  EXPECT_FALSE(NeedsRehosting(here, Here(kGB, kGB)));
}

TEST(RehostingTest, ForgetsHowFastKernelsStreamed) {
  Graph graph = MakeGraph({MakeKernel(8, 700)});
  graph.streamed = graph.kernels[0].streamed = {.bytes = 1, .duration_ns = 1};
  const Graph here = Rehost(graph, Here(kGB, kGB));
  EXPECT_EQ(here.kernels[0].streamed.bytes, 0);
  EXPECT_EQ(here.streamed.bytes, 0);
}

TEST(RehostingTest, IsNeededOnAnotherProcessorWhosePeakIsKnown) {
  const Graph graph = MakeGraph({MakeKernel(8, 700)});
  EXPECT_TRUE(NeedsRehosting(graph, Here(kGB, kGB)));
  EXPECT_FALSE(NeedsRehosting(graph, Here(0, kGB)));
  Graph unknown = graph;
  unknown.processor_peak = {};
  EXPECT_FALSE(NeedsRehosting(unknown, Here(kGB, kGB)));
  // Without any FLOPs nobody can tell what binds.
  EXPECT_FALSE(NeedsRehosting(MakeGraph({MakeKernel(0, 700)}), Here(kGB, kGB)));
}

TEST(RehostingTest, NamesWhereMostOfTheTimeComesFrom) {
  Graph graph = MakeGraph({MakeKernel(8, 700), MakeKernel(8, 100)});
  EXPECT_EQ(DurationOrigin(graph), "measured");
  graph.kernels[0].profile.fast_inputs_fast_outputs.source =
      DurationSource::kDerived;
  EXPECT_EQ(DurationOrigin(graph), "derived");
  EXPECT_EQ(DurationOrigin(Rehost(graph, Here(kGB, kGB))), "rehosted");
}

TEST(RehostingTest, EveryPresetStatesItsProcessor) {
  for (const std::string& name : PresetNames()) {
    const MemorySystem system = *PresetMemorySystem(name);
    EXPECT_TRUE(PeakOf(system).known()) << name;
    EXPECT_FALSE(system.processor.empty()) << name;
  }
}

TEST(RehostingTest, ScalesEveryImplementationByWhatItReached) {
  Kernel kernel = MakeKernel(8000, 9000);
  kernel.alternatives = {
      {.profile = MakeKernel(8000, 17'000).profile, .workspace_bytes = 77}};
  const Graph graph =
      Rehost(MakeGraph({MakeKernel(0, 1000), kernel}), Here(2 * kGB, 8 * kGB));
  EXPECT_EQ(FastNs(graph, 1), 1000 + 4000);
  const KernelImplementation& other = graph.kernels[1].alternatives[0];
  EXPECT_EQ(other.profile.fast_inputs_fast_outputs.duration_ns, 1000 + 8000);
  EXPECT_EQ(other.profile.fast_inputs_fast_outputs.source,
            DurationSource::kRehosted);
  EXPECT_EQ(other.profile.slow_inputs_slow_outputs.source,
            DurationSource::kUnspecified);
  EXPECT_EQ(other.workspace_bytes, 77);
}

}  // namespace
}  // namespace stowage::policies
