#include "policies/search/annealing/kernel_twins.h"

#include <algorithm>
#include <numeric>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

// Returns `periods` times four kernels. The first of each reads the weight,
// tensor 0; each writes a tensor of its own and reads the one before.
Graph Periods(int periods) {
  Graph graph;
  graph.tensors.push_back({.size_bytes = 1 << 20, .persistent = true});
  for (int p = 0; p < periods; ++p) {
    for (int i = 0; i < 4; ++i) {
      const auto k = static_cast<KernelIndex>(graph.kernels.size());
      const TensorIndex t = graph.tensor_count();
      graph.tensors.push_back({.size_bytes = 4096 * (i + 1),
                               .birth_kernel = k,
                               .death_kernel = k + 1});
      Kernel& kernel = graph.kernels.emplace_back();
      kernel.operands.push_back({.tensor = t, .write = true});
      if (k > 0) kernel.operands.push_back({.tensor = t - 1, .read = true});
      if (i == 0) kernel.operands.push_back({.tensor = 0, .read = true});
    }
  }
  return graph;
}

TEST(KernelTwinsTest, DrawsStretchesThatLoseLess) {
  const Graph graph = Periods(8);
  const KernelTwins twins(graph);
  std::vector<int64_t> lost_ns(graph.kernels.size(), 100);
  lost_ns[17] = 1000;
  const LostTime lost(lost_ns);
  std::mt19937_64 random(1);
  int drawn = 0;
  for (int n = 0; n < 20; ++n) {
    const auto stretch = twins.Draw(random, 17, 2, lost);
    if (!stretch.has_value()) continue;
    ++drawn;
    EXPECT_EQ(stretch->kernels.begin, 15);
    EXPECT_EQ(stretch->kernels.end, 20);
    EXPECT_NE(stretch->shift, 0);
    EXPECT_EQ(stretch->shift % 4, 0);
    EXPECT_FALSE(twins.Draw(random, 17 + stretch->shift, 2, lost).has_value());
  }
  EXPECT_GT(drawn, 10);
}

TEST(KernelTwinsTest, PairsTensorsByWhatKernelsDoWithThem) {
  const Graph graph = Periods(8);
  std::vector<int64_t> lost_ns(graph.kernels.size(), 100);
  lost_ns[17] = 1000;
  std::mt19937_64 random(1);
  const KernelTwins twins(graph);
  const auto stretch = twins.Draw(random, 17, 1, LostTime(lost_ns));
  ASSERT_TRUE(stretch.has_value());
  // Kernels 16 to 18 write tensors 17 to 19, and the first reads 16 and 0.
  const std::vector<std::pair<TensorIndex, TensorIndex>> expected = {
      {0, 0},
      {16, 16 + stretch->shift},
      {17, 17 + stretch->shift},
      {18, 18 + stretch->shift},
      {19, 19 + stretch->shift}};
  EXPECT_EQ(stretch->tensors, expected);
}

TEST(KernelTwinsTest, LeavesOutWhatSeveralWouldStandFor) {
  Graph graph = Periods(8);
  // The second tensor is as large as the weight. Every other period reads it
  // once more beside the weight, and the others read the weight twice.
  graph.tensors.push_back(graph.tensors[0]);
  for (size_t k = 1; k < graph.kernels.size(); k += 4) {
    const TensorIndex t = k % 8 == 1 ? graph.tensor_count() - 1 : 0;
    graph.kernels[k].operands.push_back({.tensor = t, .read = true});
  }
  std::vector<int64_t> lost_ns(graph.kernels.size(), 100);
  lost_ns[13] = 1000;
  std::mt19937_64 random(1);
  const KernelTwins twins(graph);
  for (int n = 0; n < 20; ++n) {
    const auto stretch = twins.Draw(random, 13, 1, LostTime(lost_ns));
    if (!stretch.has_value() || stretch->shift % 8 == 0) continue;
    const auto weight =
        std::find_if(stretch->tensors.begin(), stretch->tensors.end(),
                     [](const auto& pair) { return pair.first == 0; });
    EXPECT_EQ(weight, stretch->tensors.end());
    return;
  }
  FAIL() << "no such twin was drawn";
}

TEST(KernelTwinsTest, ComparesWhatIsLostWithTheBestTwin) {
  const Graph graph = Periods(32);
  std::vector<int64_t> lost_ns(graph.kernels.size(), 100);
  lost_ns[65] = 1100;
  const std::vector<int64_t> more_ns =
      KernelTwins(graph).MoreThanTwinsNs(LostTime(lost_ns));
  EXPECT_EQ(more_ns[65], 1000);
  EXPECT_EQ(more_ns[40], 1);
  EXPECT_EQ(std::count(more_ns.begin() + 12, more_ns.end() - 12, 1000), 25);
}

TEST(KernelTwinsTest, CountsAllWhereNothingRepeats) {
  const Graph graph = Periods(1);
  const std::vector<int64_t> more_ns =
      KernelTwins(graph).MoreThanTwinsNs(LostTime({1, 2, 3, 4}));
  EXPECT_EQ(more_ns, std::vector<int64_t>(4, 10));
  std::mt19937_64 random(1);
  const LostTime lost({1, 2, 3, 4});
  EXPECT_FALSE(KernelTwins(graph).Draw(random, 2, 9, lost).has_value());
}

}  // namespace
}  // namespace stowage::policies
