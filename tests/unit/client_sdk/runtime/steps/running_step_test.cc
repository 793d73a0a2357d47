#include "client_sdk/runtime/steps/running_step.h"

#include <memory>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

class RunningStepTest : public testing::Test {
 protected:
  RunningStepTest() {
    step_.index = 3;
    step_.Begin(/*now_ns=*/1000);
  }

  // Returns the record of the last kernel.
  session::KernelRecord Written() {
    const auto area = std::make_unique<session::ProfileArea>();
    step_.profile.Write(area.get());
    return area->kernels[area->kernel_count - 1];
  }

  RunningStep step_;
  RunningKernel kernel_{.key = 5, .name = "relu"};
};

TEST_F(RunningStepTest, KernelsAreNumberedInTheOrderInWhichTheyEnter) {
  RunningKernel second{.key = 6, .name = "add"};
  EXPECT_FALSE(step_.Has(kernel_));
  step_.Enter(&kernel_, 1000, /*stalls_ns=*/0);
  step_.Enter(&second, 1000, /*stalls_ns=*/0);
  EXPECT_TRUE(step_.Has(kernel_));
  EXPECT_EQ(kernel_.index, 0);
  EXPECT_EQ(second.index, 1);
}

TEST_F(RunningStepTest, AKernelThatOutlivesItsStepEntersTheNextAnew) {
  step_.Enter(&kernel_, 1000, /*stalls_ns=*/0);
  kernel_.ordinal = 4;
  ++step_.index;
  step_.Begin(2000);
  EXPECT_FALSE(step_.Has(kernel_));
  step_.Enter(&kernel_, 2000, /*stalls_ns=*/0);
  EXPECT_EQ(kernel_.step, 4);
  EXPECT_EQ(kernel_.ordinal, 0);
}

TEST_F(RunningStepTest, TheGapBeforeAKernelIsWhatTheHostTook) {
  step_.Enter(&kernel_, 1700, /*stalls_ns=*/0);
  EXPECT_EQ(Written().gap_ns, 700);
}

TEST_F(RunningStepTest, AKernelThatBeganBeforeTheLastOneEndedHasNoGap) {
  step_.Enter(&kernel_, 900, /*stalls_ns=*/0);
  EXPECT_EQ(Written().gap_ns, 0);
}

TEST_F(RunningStepTest, WaitingIsNoPartOfAKernelsDuration) {
  kernel_.start_ns = 1100;
  step_.Enter(&kernel_, 1100, /*stalls_ns=*/0);
  kernel_.moved_ns = 150;
  step_.End(kernel_, {.end_ns = 1500, .stall_ns = 160});
  EXPECT_EQ(Written().duration_ns, 250);
}

TEST_F(RunningStepTest, CopiesRunBesideAKernelForItsDurationAtMost) {
  kernel_.start_ns = 1100;
  kernel_.earlier_copied = {.out_ns = 5000, .in_ns = 70};
  step_.Enter(&kernel_, 1100, /*stalls_ns=*/0);
  kernel_.moved_ns = 150;
  step_.End(kernel_, {.end_ns = 1500, .copied = {.out_ns = 5390, .in_ns = 90}});
  EXPECT_EQ(Written().beside.out_ns, 250);
  EXPECT_EQ(Written().beside.in_ns, 20);
  EXPECT_EQ(step_.beside.out_ns, 250);
  EXPECT_EQ(step_.kernel_times[0].beside.in_ns, 20);
}

TEST_F(RunningStepTest, WaitingOfOtherThreadsMakesNoDurationNegative) {
  kernel_.start_ns = 1100;
  step_.Enter(&kernel_, 1100, /*stalls_ns=*/0);
  kernel_.moved_ns = 900;
  step_.End(kernel_, {.end_ns = 1500, .stall_ns = 160});
  EXPECT_EQ(Written().duration_ns, 0);
}

TEST_F(RunningStepTest, TimesAddUpKernelsGapsAndFaults) {
  step_.Begin(1000);
  kernel_.start_ns = 1100;
  step_.Enter(&kernel_, 1100, /*stalls_ns=*/0);
  step_.fault_waits.Add(/*thread=*/1, 60);
  step_.fault_waits.Add(/*thread=*/2, 20);
  kernel_.moved_ns = 150;
  step_.End(kernel_, {.end_ns = 1500, .stall_ns = 160});
  step_.BeginGap(1510, /*stalls_ns=*/0);
  step_.EndKernels(1600, /*stalls_ns=*/0);
  EXPECT_EQ(step_.times.gaps_ns, 100 + 90);
  EXPECT_EQ(step_.times.faults_ns, 60);
  EXPECT_EQ(step_.times.kernels_ns, 400 - 150 - 60);
  ASSERT_EQ(step_.kernel_times.size(), 1u);
  EXPECT_EQ(step_.kernel_times[0].duration_ns, 400 - 150 - 60);
  EXPECT_EQ(step_.kernel_times[0].stall_ns, 160);
  EXPECT_EQ(step_.kernel_times[0].faults_ns, 60);
}

TEST_F(RunningStepTest, StallsBetweenKernelsAreNoGap) {
  step_.Begin(1000);
  step_.BeginGap(1200, /*stalls_ns=*/150);
  kernel_.start_ns = 1300;
  step_.Enter(&kernel_, 1300, /*stalls_ns=*/180);
  EXPECT_EQ(step_.times.gaps_ns, 100 - 30);
}

TEST_F(RunningStepTest, TheNextStepForgetsAllButItsNumber) {
  step_.fallbacks = 2;
  step_.times.plan_wait_ns = 9;
  step_.surprise = Surprise{SurpriseReason::kRoomTaken};
  step_.Enter(&kernel_, 1000, /*stalls_ns=*/0);
  step_.Begin(2000);
  EXPECT_EQ(step_.index, 3);
  EXPECT_EQ(step_.fallbacks, 0u);
  EXPECT_EQ(step_.times.plan_wait_ns, 0);
  EXPECT_EQ(step_.times.gaps_ns, 0);
  EXPECT_FALSE(step_.surprise.has_value());
  EXPECT_EQ(step_.profile.kernel_count(), 0);
  EXPECT_EQ(step_.mode, StepMode::kDemand);
}

}  // namespace
}  // namespace stowage::runtime
