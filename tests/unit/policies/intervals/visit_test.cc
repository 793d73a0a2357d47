#include "policies/intervals/visit.h"

#include "gtest/gtest.h"
#include "tests/unit/policies/layered_step.h"

namespace stowage::policies {
namespace {

Workload WorkloadOf(const Graph& graph) {
  Workload workload;
  workload.staged.resize(graph.kernels.size());
  workload.left_slow.resize(graph.kernels.size());
  return workload;
}

UseTable Visits(const Graph& graph, const Workload& workload) {
  return FindVisits(graph, workload, DivideIntoIntervals(FindLayers(graph), 1),
                    std::vector<bool>(graph.tensors.size(), true),
                    /*births=*/false);
}

TEST(VisitTest, UsesOfOneIntervalAreOneVisit) {
  LayeredStep step({1, 1, 2});
  const TensorIndex t = step.AddPersistent(1);
  step.Read(0, t);
  step.Read(1, t);
  step.Read(2, t, 3);
  const UseTable table = Visits(step.graph(), WorkloadOf(step.graph()));
  ASSERT_EQ(table.visits[0].size(), 1);
  EXPECT_EQ(table.visits[0][0].first_use, 0);
  EXPECT_EQ(table.visits[0][0].last_use, 1);
  ASSERT_EQ(table.visits[1].size(), 1);
  EXPECT_EQ(table.accesses[t], 5);
}

TEST(VisitTest, AUseThatIsLeftSlowDividesAVisit) {
  LayeredStep step({1, 1, 1});
  const TensorIndex t = step.AddPersistent(1);
  for (KernelIndex k : {0, 1, 2}) step.Read(k, t);
  Workload workload = WorkloadOf(step.graph());
  workload.left_slow[1] = {t};
  const UseTable table = Visits(step.graph(), workload);
  ASSERT_EQ(table.visits[0].size(), 2);
  EXPECT_FALSE(table.visits[0][0].apart);
  EXPECT_TRUE(table.visits[0][1].apart);
}

TEST(VisitTest, KnowsWhereATensorIsBorn) {
  LayeredStep step({1, 2, 3});
  const TensorIndex t = step.Add(1, 0, 2);
  step.Write(0, t);
  step.Read(2, t);
  const UseTable table = Visits(step.graph(), WorkloadOf(step.graph()));
  EXPECT_TRUE(table.visits[0][0].born);
  EXPECT_FALSE(table.visits[2][0].born);
  EXPECT_FALSE(table.visits[2][0].apart);
}

TEST(VisitTest, TheTwoLivesOfAWrappingTensorAreApart) {
  LayeredStep step({1, 1, 1});
  const TensorIndex t = step.Add(1, 2, 0);
  step.Read(0, t);
  step.Write(2, t);
  const UseTable table = Visits(step.graph(), WorkloadOf(step.graph()));
  ASSERT_EQ(table.visits[0].size(), 2);
  EXPECT_FALSE(table.visits[0][0].born);
  EXPECT_TRUE(table.visits[0][1].born);
  EXPECT_TRUE(table.visits[0][1].apart);
}

}  // namespace
}  // namespace stowage::policies
