#include "policies/planning/kernel_room.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Returns a step of one kernel. Kernel 0 uses tensors 0 and 1 and a workspace;
// tensors 0 to 3 persist.
Graph OneKernel() {
  Graph graph;
  graph.tensors.assign(4, {.size_bytes = 4 * kMiB, .persistent = true});
  graph.tensors.push_back({.size_bytes = 3 * kMiB,
                           .kind = TensorKind::kWorkspace,
                           .birth_kernel = 0,
                           .death_kernel = 0});
  Kernel kernel;
  kernel.operands = {{.tensor = 0, .read = true},
                     {.tensor = 1, .read = true},
                     {.tensor = 4, .write = true}};
  graph.kernels.push_back(kernel);
  return graph;
}

TEST(KernelRoomTest, WorkspacesLeaveTheRestFree) {
  const KernelRoom room =
      FindKernelRoom(OneKernel(), *PresetMemorySystem("optane"), 12 * kMiB);
  EXPECT_EQ(room.limit_bytes, 12 * kMiB);
  EXPECT_EQ(room.free_bytes[0], 9 * kMiB);
  EXPECT_EQ(room.free_bytes[1], 12 * kMiB);
}

TEST(KernelRoomTest, OperandsTakeRoomWhereTheyCannotBeUsedElsewhere) {
  const KernelRoom room =
      FindKernelRoom(OneKernel(), *PresetMemorySystem("gpu-pcie"), 12 * kMiB);
  EXPECT_EQ(room.free_bytes[0], kMiB);
}

TEST(KernelRoomTest, NoMoreCanBeFilledThanWholeTensorsDo) {
  const KernelRoom room =
      FindKernelRoom(OneKernel(), *PresetMemorySystem("optane"), 12 * kMiB);
  EXPECT_EQ(room.fillable_bytes[0], 3 * kMiB + 8 * kMiB);
}

TEST(KernelRoomTest, SmallTensorsFillWhatLargeOnesLeave) {
  Graph graph = OneKernel();
  for (int i = 0; i < 10; ++i) {
    graph.tensors.push_back({.size_bytes = 64 << 10, .persistent = true});
  }
  const KernelRoom room =
      FindKernelRoom(graph, *PresetMemorySystem("optane"), 12 * kMiB);
  EXPECT_EQ(room.fillable_bytes[0], 11 * kMiB + 10 * (64 << 10));
}

TEST(KernelRoomTest, SaysWhereAKernelCannotRun) {
  const KernelRoom room =
      FindKernelRoom(OneKernel(), *PresetMemorySystem("gpu-pcie"), 8 * kMiB);
  EXPECT_LT(room.free_bytes[0], 0);
}

}  // namespace
}  // namespace stowage::policies
