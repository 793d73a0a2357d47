#include "server/placement/bound_ratio.h"

#include <memory>

#include "gtest/gtest.h"
#include "policies/model/graph_proto.h"
#include "policies/model/memory_system_proto.h"
#include "policies/registry.h"
#include "server/placement/verified_plan.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

policies::Plan PlanOf(const policies::Graph& graph,
                      const policies::MemorySystem& system,
                      int64_t limit_bytes) {
  return *MakeVerifiedPlan(graph, system, **policies::MakePolicy("belady"),
                           {.fast_limit_bytes = limit_bytes});
}

class BoundRatioTest : public ::testing::Test {
 protected:
  const policies::Graph graph_ = *policies::GraphFromProto(ChainGraph(40));
  const policies::MemorySystem system_ =
      *policies::MemorySystemFromProto(TwoTiers());
};

TEST_F(BoundRatioTest, APlanWithoutMovesIsAtItsBound) {
  const policies::Plan plan = PlanOf(graph_, system_, int64_t{1} << 30);
  EXPECT_NEAR(BoundRatio(graph_, system_, plan, absl::ZeroDuration()), 1, 1e-5);
  EXPECT_NEAR(BoundRatio(graph_, system_, plan, absl::Seconds(1)), 1, 1e-5);
}

TEST_F(BoundRatioTest, MoreTimeMakesTheBoundNoLooser) {
  const policies::Plan plan = PlanOf(graph_, system_, kLimitBytes);
  const double loose = BoundRatio(graph_, system_, plan, absl::ZeroDuration());
  const double tight = BoundRatio(graph_, system_, plan, absl::Seconds(1));
  EXPECT_GE(tight, 1);
  EXPECT_LE(tight, loose);
  EXPECT_GT(loose, 1);
}

}  // namespace
}  // namespace stowage
