#include "policies/autotm/profile_cache.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

constexpr ProfiledDuration kNothing;

ProfiledDuration Measured(int64_t ns) {
  return {ns, DurationSource::kMeasured};
}

// Returns a step of one kernel, which reads tensor 0 and writes tensor 1.
Graph OneKernel(const char* name, int64_t bytes, KernelProfile profile) {
  Graph graph{.name = "graph", .processor = "cpu"};
  graph.tensors = {{.size_bytes = bytes, .persistent = true},
                   {.size_bytes = 4096, .persistent = true}};
  Kernel kernel{.name = name, .profile = profile};
  kernel.operands = {{0, true, false}, {1, false, true}};
  graph.kernels = {kernel};
  return graph;
}

TEST(ProfileCacheTest, FillsTheMissingCornersOfAnIdenticalKernel) {
  ProfileCache cache;
  cache.Learn(OneKernel("conv", 100, {Measured(1), Measured(2), Measured(3)}));
  Graph graph = OneKernel("conv", 100, {Measured(7)});
  EXPECT_EQ(cache.Fill(graph), 2);
  const KernelProfile& profile = graph.kernels[0].profile;
  EXPECT_EQ(profile.fast_inputs_fast_outputs.duration_ns, 7);
  EXPECT_EQ(profile.fast_inputs_slow_outputs.duration_ns, 2);
  EXPECT_EQ(profile.slow_inputs_fast_outputs.duration_ns, 3);
  EXPECT_EQ(profile.slow_inputs_slow_outputs.source,
            DurationSource::kUnspecified);
}

TEST(ProfileCacheTest, TellsKernelsApartByNameSizeUseAndProcessor) {
  ProfileCache cache;
  cache.Learn(OneKernel("conv", 100, {Measured(1), Measured(2)}));
  Graph name = OneKernel("relu", 100, {Measured(1)});
  Graph size = OneKernel("conv", 200, {Measured(1)});
  Graph use = OneKernel("conv", 100, {Measured(1)});
  use.kernels[0].operands[0].write = true;
  Graph processor = OneKernel("conv", 100, {Measured(1)});
  processor.processor = "gpu";
  for (Graph* graph : {&name, &size, &use, &processor}) {
    EXPECT_EQ(cache.Fill(*graph), 0);
  }
}

TEST(ProfileCacheTest, SharesAmongTheKernelsOfOneGraph) {
  Graph graph = OneKernel("conv", 100, {Measured(1), Measured(2)});
  graph.kernels.push_back(graph.kernels[0]);
  graph.kernels[1].profile.fast_inputs_slow_outputs = kNothing;
  ProfileCache cache;
  cache.Learn(graph);
  EXPECT_EQ(cache.size(), 1);
  EXPECT_EQ(cache.Fill(graph), 1);
  EXPECT_EQ(graph.kernels[1].profile.fast_inputs_slow_outputs.duration_ns, 2);
}

TEST(ProfileCacheTest, KeepsNoCornerThatWasNotMeasured) {
  ProfileCache cache;
  cache.Learn(
      OneKernel("conv", 100, {Measured(1), {2, DurationSource::kDerived}}));
  Graph graph = OneKernel("conv", 100, {Measured(1)});
  EXPECT_EQ(cache.Fill(graph), 0);
}

TEST(ProfileCacheTest, CollectsCornersFromSeveralGraphs) {
  ProfileCache cache;
  cache.Learn(OneKernel("conv", 100, {Measured(1), Measured(2)}));
  cache.Learn(OneKernel("conv", 100, {Measured(9), Measured(9), Measured(3)}));
  Graph graph = OneKernel("conv", 100, {Measured(1)});
  EXPECT_EQ(cache.Fill(graph), 2);
  EXPECT_EQ(graph.kernels[0].profile.fast_inputs_slow_outputs.duration_ns, 2);
  EXPECT_EQ(graph.kernels[0].profile.slow_inputs_fast_outputs.duration_ns, 3);
}

TEST(ProfileCacheTest, KeepsNamedImplementationsApart) {
  Graph known = OneKernel("conv", 100, {Measured(1), Measured(2)});
  known.kernels[0].alternatives = {{"fft", {Measured(3), Measured(4)}},
                                   {"", {Measured(5), Measured(6)}}};
  ProfileCache cache;
  cache.Learn(known);
  EXPECT_EQ(cache.size(), 2);
  Graph graph = OneKernel("conv", 100, {Measured(1)});
  graph.kernels[0].alternatives = {{"fft", {Measured(3)}},
                                   {"gemm", {Measured(7)}}};
  EXPECT_EQ(cache.Fill(graph), 2);
  const auto& alternatives = graph.kernels[0].alternatives;
  EXPECT_EQ(alternatives[0].profile.fast_inputs_slow_outputs.duration_ns, 4);
  EXPECT_EQ(alternatives[1].profile.fast_inputs_slow_outputs.source,
            DurationSource::kUnspecified);
}

}  // namespace
}  // namespace stowage::policies
