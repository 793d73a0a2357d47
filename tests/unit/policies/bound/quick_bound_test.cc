#include "policies/bound/quick_bound.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "policies/bound/lower_bound.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

class QuickBoundTest : public ::testing::Test {
 protected:
  const Graph graph_ = TrainingStepGraph(/*layers=*/8, /*seed=*/3);
  const MemorySystem system_ = *PresetMemorySystem("file");
  const int64_t limit_bytes_ = ComputeLiveness(graph_).peak_bytes / 3;
};

TEST_F(QuickBoundTest, WithoutTimeItIsWhatKernelsAloneTake) {
  EXPECT_EQ(QuickBoundNs(graph_, system_, limit_bytes_, absl::ZeroDuration()),
            AllFastNs(graph_, system_));
}

TEST_F(QuickBoundTest, WithTimeItLiesBetweenThatAndTheTightBound) {
  const int64_t bound_ns =
      QuickBoundNs(graph_, system_, limit_bytes_, absl::Seconds(1));
  EXPECT_GE(bound_ns, AllFastNs(graph_, system_));
  const int64_t tight_ns = LowerBoundNs(graph_, system_, limit_bytes_);
  EXPECT_LE(bound_ns, std::max(tight_ns, AllFastNs(graph_, system_)) * 1.02);
}

}  // namespace
}  // namespace stowage::policies
