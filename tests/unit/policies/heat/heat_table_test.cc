#include "policies/heat/heat_table.h"

#include "gtest/gtest.h"
#include "policies/model/liveness.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

std::vector<int64_t> Room(const Graph& graph, int64_t bytes) {
  return std::vector<int64_t>(graph.kernels.size(), bytes);
}

TEST(HeatTableTest, HasTheLivingMovableTensorsOfKernelsThatAreShort) {
  const Graph graph = TrainingStepGraph(4, 1);
  const Liveness liveness = ComputeLiveness(graph);
  const auto table =
      MakeHeatTable(graph, Room(graph, liveness.peak_bytes / 2), {});
  ASSERT_TRUE(table.ok());
  int short_kernels = 0;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    if (table->rows[k].empty()) continue;
    ++short_kernels;
    size_t living = 0;
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      const Tensor& tensor = graph.tensors[t];
      if (tensor.movable() && AliveAt(tensor, k)) ++living;
    }
    EXPECT_EQ(table->rows[k].size(), living) << "kernel " << k;
  }
  EXPECT_GT(short_kernels, 0);
  EXPECT_LT(short_kernels, graph.kernel_count());
}

TEST(HeatTableTest, IsEmptyWhereEverythingFits) {
  const Graph graph = TrainingStepGraph(4, 1);
  const auto table = MakeHeatTable(graph, Room(graph, int64_t{1} << 40), {});
  ASSERT_TRUE(table.ok());
  for (const auto& row : table->rows) EXPECT_TRUE(row.empty());
  EXPECT_EQ(table->adjustments, 0);
}

TEST(HeatTableTest, ASingleCharacteristicRanksByItAlone) {
  LayeredStep step({0, 0, 0, 0});
  const TensorIndex near = step.Add(1 << 20, 0, 3);
  const TensorIndex far = step.Add(1 << 12, 0, 3);
  step.Read(1, near);
  step.Read(3, far);
  const auto recency =
      MakeHeatTable(step.graph(), Room(step.graph(), 1), RecencyAlone());
  const auto size =
      MakeHeatTable(step.graph(), Room(step.graph(), 1), SizeAlone());
  ASSERT_TRUE(recency.ok() && size.ok());
  EXPECT_GT(recency->rows[0][near].heat, recency->rows[0][far].heat);
  EXPECT_LT(size->rows[0][near].heat, size->rows[0][far].heat);
  EXPECT_EQ(recency->adjustments, 0);
}

}  // namespace
}  // namespace stowage::policies
