#include "policies/model/liveness.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Graph ThreeKernels() {
  Graph graph;
  graph.kernels.resize(3);
  graph.tensors.resize(3);
  graph.tensors[0] = {.size_bytes = 100, .persistent = true};
  graph.tensors[1] = {.size_bytes = 10, .birth_kernel = 1, .death_kernel = 1};
  graph.tensors[2] = {.size_bytes = 1, .birth_kernel = 2, .death_kernel = 0};
  graph.kernels[1].operands = {{.tensor = 1, .write = true}};
  graph.kernels[2].operands = {{.tensor = 2, .write = true}};
  graph.kernels[0].operands = {{.tensor = 2, .read = true}};
  return graph;
}

TEST(LivenessTest, CountsWhatIsAliveAtEachKernel) {
  const Liveness liveness = ComputeLiveness(ThreeKernels());
  EXPECT_THAT(liveness.live_bytes, ElementsAre(101, 110, 101));
  EXPECT_EQ(liveness.peak_bytes, 110);
  EXPECT_EQ(liveness.peak_kernel, 1);
}

TEST(LivenessTest, CountsUnmanagedStoragesThroughoutTheStep) {
  Graph graph = ThreeKernels();
  graph.unmanaged_peak_bytes = 1000;
  EXPECT_THAT(ComputeLiveness(graph).live_bytes, ElementsAre(1101, 1110, 1101));
}

TEST(LivenessTest, ListsTheKernelsThatWriteATensor) {
  const Groups writes = WritesByTensor(ThreeKernels());
  EXPECT_THAT(writes[0], IsEmpty());
  EXPECT_THAT(writes[1], ElementsAre(1));
  EXPECT_THAT(writes[2], ElementsAre(2));  // kernel 0 only reads it
}

TEST(LivenessTest, BehindTheLastKernelIsTheOneAfterIt) {
  const std::vector<KernelIndex> kernels = {2, 5, 9};
  EXPECT_EQ(BehindLast(kernels, 2), 0);
  EXPECT_EQ(BehindLast(kernels, 3), 3);
  EXPECT_EQ(BehindLast(kernels, 9), 6);
  EXPECT_EQ(BehindLast(kernels, 100), 10);
  EXPECT_EQ(BehindLast({}, 100), 0);
}

TEST(LivenessTest, AgreesWithAliveAtOnRandomGraphs) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Graph graph = RandomGraph(seed);
    const Liveness liveness = ComputeLiveness(graph);
    for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
      int64_t bytes = graph.unmanaged_peak_bytes;
      for (const Tensor& tensor : graph.tensors) {
        if (AliveAt(tensor, k)) bytes += tensor.size_bytes;
      }
      EXPECT_EQ(liveness.live_bytes[k], bytes) << seed << " kernel " << k;
    }
  }
}

TEST(LivenessTest, ListsUsesBirthsAndDeaths) {
  const auto uses = UsesByTensor(ThreeKernels());
  EXPECT_THAT(uses[0], IsEmpty());
  EXPECT_THAT(uses[2], ElementsAre(0, 2));
  const auto births = BirthsByKernel(ThreeKernels());
  EXPECT_THAT(births[0], IsEmpty());
  EXPECT_THAT(births[1], ElementsAre(1));
  EXPECT_THAT(births[2], ElementsAre(2));
  const auto deaths = DeathsByBoundary(ThreeKernels());
  EXPECT_THAT(deaths[0], IsEmpty());
  EXPECT_THAT(deaths[1], ElementsAre(2));
  EXPECT_THAT(deaths[2], ElementsAre(1));
  EXPECT_EQ(deaths.size(), 4);
}

}  // namespace
}  // namespace stowage::policies
