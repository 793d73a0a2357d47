#include "policies/swap/swap_step.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/baselines/chain_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class SwapStepTest : public testing::Test {
 protected:
  void SetUp() override {
    workload_ = *MakeWorkload(graph_, system_, 64 * kMiB);
    facts_.emplace(graph_, system_, workload_);
    step_.emplace(*facts_, std::set<TensorIndex>{}, first_slow_tier_);
  }

  // Runs kernels up to boundary `b` with everything they need.
  void RunTo(KernelIndex b) {
    for (; step_->boundary() < b; step_->Reach(step_->boundary() + 1)) {
      for (TensorIndex t : workload_.staged[step_->boundary()]) {
        step_->Provide(t);
      }
      step_->RunKernel();
    }
  }

  Graph graph_ = ChainGraph({.layers = 4});
  MemorySystem system_ = *PresetMemorySystem("g10-a100");
  std::vector<TierIndex> first_slow_tier_;
  Workload workload_;
  std::optional<StepFacts> facts_;
  std::optional<SwapStep> step_;
};

TEST_F(SwapStepTest, AnOutHoldsRoomUntilItsCopyHasEnded) {
  RunTo(3);
  const int64_t before_bytes = step_->held_bytes();
  step_->BeginOut(0);
  EXPECT_EQ(step_->state(0), SwapStep::State::kGoing);
  EXPECT_EQ(step_->held_bytes(), before_bytes);
  step_->Await(0);
  EXPECT_EQ(step_->state(0), SwapStep::State::kSlow);
  EXPECT_EQ(step_->held_bytes(), before_bytes - kMiB);
}

TEST_F(SwapStepTest, CopiesInOneDirectionWaitForEachOther) {
  RunTo(4);
  const int64_t copy_ns = system_.CopyDurationNs(0, 1, kMiB);
  const int64_t start_ns = step_->now_ns();
  step_->BeginOut(0);
  step_->BeginOut(1);
  step_->Await(1);
  EXPECT_EQ(step_->now_ns(), start_ns + 2 * copy_ns);
}

TEST_F(SwapStepTest, CopiesEndWhileKernelsRun) {
  RunTo(3);
  step_->BeginOut(0);
  const int64_t now_ns = step_->now_ns();
  RunTo(4);
  EXPECT_EQ(step_->state(0), SwapStep::State::kSlow);
  EXPECT_EQ(step_->now_ns(), now_ns + 1'000'000);  // the kernel alone
}

TEST_F(SwapStepTest, ProvideWaitsForWhatIsSlow) {
  RunTo(3);
  step_->Expel(0);
  const int64_t now_ns = step_->now_ns();
  RunTo(7);
  step_->Provide(0);
  EXPECT_EQ(step_->state(0), SwapStep::State::kFast);
  EXPECT_EQ(step_->now_ns(),
            now_ns + 4'000'000 + system_.CopyDurationNs(1, 0, kMiB));
}

TEST_F(SwapStepTest, TheProjectionCountsAnAbsentTensorFromItsNextUseOn) {
  RunTo(3);
  const int64_t before_bytes = step_->ProjectedPeakBytes(4, 7);
  step_->Expel(0);
  EXPECT_EQ(step_->ProjectedPeakBytes(4, 7), before_bytes - kMiB);
  RunTo(5);
  const int64_t absent_bytes = step_->ProjectedPeakBytes(5, 7);
  step_->BeginIn(0);
  EXPECT_EQ(step_->ProjectedPeakBytes(5, 7), absent_bytes + kMiB);
}

TEST_F(SwapStepTest, ATensorGoesToTheNextTierWhenTheFirstIsFull) {
  system_.tiers[1].capacity_bytes = kMiB;
  RunTo(4);
  step_->Expel(0);
  step_->Expel(1);
  RunTo(8);
  const PlacementDecision decision = step_->Finish({});
  EXPECT_EQ(decision.first_slow_tier[0], 1);
  EXPECT_EQ(decision.first_slow_tier[1], 2);
}

TEST_F(SwapStepTest, ResidenciesSayWhenATensorCameAndWent) {
  RunTo(3);
  step_->BeginOut(0);
  RunTo(5);
  step_->BeginIn(0);
  RunTo(8);
  const PlacementDecision decision = step_->Finish({});
  const Residency& first = decision.residencies[0];
  EXPECT_EQ(first.tensor, 0);
  EXPECT_EQ(first.begin, 0);
  EXPECT_EQ(first.leave, 3);
  EXPECT_EQ(first.end, 4);
  EXPECT_TRUE(first.moved_out);
  const Residency& second = decision.residencies[1];
  EXPECT_EQ(second.tensor, 0);
  EXPECT_EQ(second.begin, 5);
  EXPECT_TRUE(second.moved_in);
  EXPECT_FALSE(second.moved_out);
  EXPECT_EQ(second.end, 8);  // it dies with the last kernel
}

TEST(SteadyStartTest, DropsWhatAStepDoesNotKeep) {
  int calls = 0;
  const auto steady = SteadyStart([&](const std::set<TensorIndex>& at_start) {
    ++calls;
    std::set<TensorIndex> at_end = {1, 2, 3};
    if (at_start.contains(3)) at_end.erase(2);  // 3 takes the room of 2
    return at_end;
  });
  EXPECT_THAT(steady, ElementsAre(1, 3));
  EXPECT_EQ(calls, 3);
}

TEST(SteadyStartTest, MayBeEmpty) {
  EXPECT_THAT(SteadyStart([](const std::set<TensorIndex>&) {
                return std::set<TensorIndex>{};
              }),
              IsEmpty());
}

}  // namespace
}  // namespace stowage::policies
