#include "policies/autotm/kernel_configuration.h"

#include <cstdint>
#include <numeric>
#include <vector>

#include "gtest/gtest.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

constexpr double kFastNs = 1000, kOutNs = 5000, kInNs = 2000;

// Returns a step of one kernel, which reads all tensors but the last, which it
// writes.
Graph OneKernel(int operands, int64_t both_slow_ns) {
  Graph graph{.name = "kernel"};
  Kernel kernel{.name = "kernel"};
  const auto measured = [](double ns) {
    return ProfiledDuration{static_cast<int64_t>(ns),
                            DurationSource::kMeasured};
  };
  kernel.profile = {measured(kFastNs), measured(kOutNs), measured(kInNs),
                    measured(both_slow_ns)};
  for (TensorIndex t = 0; t < operands; ++t) {
    graph.tensors.push_back({.size_bytes = 4096, .persistent = true});
    const bool output = t + 1 == operands;
    kernel.operands.push_back({t, !output, output});
  }
  graph.kernels = {kernel};
  return graph;
}

KernelConfigurations ConfigurationsOf(const Graph& graph) {
  std::vector<TensorIndex> operands(graph.tensors.size());
  std::iota(operands.begin(), operands.end(), 0);
  return MakeConfigurations(graph, *PresetMemorySystem("optane"), {}, operands);
}

TEST(KernelConfigurationTest, AddsUpOperandsWhereTheProfileAddsUp) {
  const auto cost = ConfigurationsOf(OneKernel(3, 6000));
  EXPECT_TRUE(cost.listed_ns.empty());
  EXPECT_FALSE(cost.approximate);
  EXPECT_DOUBLE_EQ(cost.DurationNs({false, false, false}), kFastNs);
  EXPECT_DOUBLE_EQ(cost.DurationNs({true, false, false}), 1500);
  EXPECT_DOUBLE_EQ(cost.DurationNs({false, false, true}), kOutNs);
  EXPECT_DOUBLE_EQ(cost.DurationNs({true, true, true}), 6000);
}

TEST(KernelConfigurationTest, ListsConfigurationsWhereItDoesNot) {
  const auto cost = ConfigurationsOf(OneKernel(3, 9000));
  EXPECT_EQ(cost.listed_ns.size(), 8);
  EXPECT_DOUBLE_EQ(cost.DurationNs({true, true, false}), kInNs);
  EXPECT_DOUBLE_EQ(cost.DurationNs({false, false, true}), kOutNs);
  // Half of the inputs slow: half way between the two corners.
  EXPECT_DOUBLE_EQ(cost.DurationNs({true, false, true}), 7000);
  EXPECT_DOUBLE_EQ(cost.DurationNs({true, true, true}), 9000);
}

TEST(KernelConfigurationTest, IsExactAtBothEndsWhereThereAreTooManyToList) {
  const int operands = kMaxListedOperands + 3;
  const auto cost = ConfigurationsOf(OneKernel(operands, 9000));
  EXPECT_TRUE(cost.approximate);
  EXPECT_TRUE(cost.listed_ns.empty());
  EXPECT_NEAR(cost.DurationNs(std::vector<bool>(operands, false)), kFastNs, 1);
  EXPECT_NEAR(cost.DurationNs(std::vector<bool>(operands, true)), 9000, 1);
}

}  // namespace
}  // namespace stowage::policies
