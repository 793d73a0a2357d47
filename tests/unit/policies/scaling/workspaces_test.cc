#include "policies/scaling/workspaces.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

// Returns a step of one kernel, which reads tensor 0, scribbles in tensor 1 and
// writes tensor 2.
Graph StepWithScratch() {
  Graph graph;
  graph.tensors = {{.size_bytes = 100, .persistent = true},
                   {.size_bytes = 900, .kind = TensorKind::kWorkspace},
                   {.size_bytes = 10, .kind = TensorKind::kActivation}};
  Kernel kernel;
  kernel.operands = {{.tensor = 0, .read = true},
                     {.tensor = 1, .read = true, .write = true},
                     {.tensor = 2, .write = true}};
  kernel.profile.fast_inputs_fast_outputs = {500, DurationSource::kMeasured};
  graph.kernels = {kernel};
  return graph;
}

TEST(WorkspacesTest, ScratchIsLeftOutAndTheOtherTensorsAreNumberedAnew) {
  const Graph graph = WithoutWorkspaces(StepWithScratch());
  EXPECT_THAT(graph.tensors, ElementsAre(Field(&Tensor::size_bytes, 100),
                                         Field(&Tensor::size_bytes, 10)));
  EXPECT_THAT(
      graph.kernels[0].operands,
      ElementsAre(Field(&Operand::tensor, 0), Field(&Operand::tensor, 1)));
  EXPECT_TRUE(graph.kernels[0].operands[1].write);
}

TEST(WorkspacesTest, DurationsStay) {
  const Graph graph = WithoutWorkspaces(StepWithScratch());
  EXPECT_EQ(graph.kernels[0].profile.fast_inputs_fast_outputs.duration_ns, 500);
}

}  // namespace
}  // namespace stowage::policies
