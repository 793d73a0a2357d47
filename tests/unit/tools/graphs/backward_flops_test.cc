#include "tools/stowage/graphs/backward_flops.h"

#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

policies::Kernel MakeKernel(const std::string& name,
                            const std::vector<policies::TensorIndex>& reads,
                            const std::vector<policies::TensorIndex>& writes,
                            int64_t flops) {
  policies::Kernel kernel;
  kernel.name = name;
  kernel.flops = flops;
  for (policies::TensorIndex t : reads) {
    kernel.operands.push_back({.tensor = t, .read = true});
  }
  for (policies::TensorIndex t : writes) {
    kernel.operands.push_back({.tensor = t, .write = true});
  }
  return kernel;
}

// Two convolutions read input 0, with weights 1 and 2.
TEST(BackwardFlopsTest, FollowsTheForwardForEachGradientThatIsWritten) {
  policies::Graph graph;
  graph.kernels = {
      MakeKernel("aten::convolution", {0, 1}, {3}, 100),
      MakeKernel("aten::convolution", {0, 2}, {4}, 700),
      MakeKernel("aten::convolution_backward", {9, 0, 2}, {5, 6}, 0),
      MakeKernel("aten::convolution_backward", {9, 0, 1}, {7}, 0),
  };
  FillBackwardFlops(graph);
  EXPECT_EQ(graph.kernels[2].flops, 1400);
  EXPECT_EQ(graph.kernels[3].flops, 100);
}

TEST(BackwardFlopsTest, LeavesOtherKernelsAlone) {
  policies::Graph graph;
  graph.kernels = {
      MakeKernel("aten::convolution", {0, 1}, {3}, 100),
      MakeKernel("aten::convolution_backward", {0, 1}, {5, 6}, 42),
      MakeKernel("aten::convolution_backward", {8, 9}, {5, 6}, 0),
      MakeKernel("aten::relu", {0}, {5}, 0),
  };
  FillBackwardFlops(graph);
  EXPECT_EQ(graph.kernels[1].flops, 42);
  EXPECT_EQ(graph.kernels[2].flops, 0);
  EXPECT_EQ(graph.kernels[3].flops, 0);
}

}  // namespace
}  // namespace stowage::cli
