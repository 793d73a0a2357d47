// Trains under plans whose kernels stream an operand.
#include <cstdint>
#include <functional>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

// Lets the backward pass stream the activation, through this room if there is
// any.
EditPlan StreamActivation(
    const std::function<session::PlanStream(const session::PlanArea&)>& room) {
  return [room](session::PlanArea* plan) {
    session::PlanStream stream = room(*plan);
    stream.kernel = kBackward;
    stream.tensor = Activation(*plan).tensor;
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
    plan->streams[plan->stream_count++] = stream;
  };
}

// Goes down the columns of the activation, which has more rows than the window
// that is set aside has pieces.
void StepGoingDownColumns(SmallTraining* training) {
  constexpr int64_t kRowBytes = 16 << 10;
  training->Step({.in_backward = [training] {
    const FakeTensor& activation = *training->activation();
    const volatile char* bytes = activation.storage.address;
    for (int64_t column = 0; column < 8; ++column) {
      for (int64_t at = 32 * column; at < activation.size_bytes;
           at += kRowBytes) {
        bytes[at];
      }
    }
  }});
}

TEST(JobStreamTest, APlanMayStreamAnOperand) {
  SmallTraining training(StreamActivation(
      [](const session::PlanArea&) { return session::PlanStream(); }));
  training.WarmUp();
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_GE(training.last().moved_in_bytes, 3 * kUnit);
}

TEST(JobStreamTest, AKernelStreamsThroughAHoleIfThePlanHasNoWindow) {
  SmallTraining training(StreamActivation(
      [](const session::PlanArea&) { return session::PlanStream(); }));
  training.WarmUp();
  StepGoingDownColumns(&training);
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_LE(training.last().moved_in_bytes, 8 * kUnit);
}

TEST(JobStreamTest, WhatStandsInTheRoomOfAWindowLeaves) {
  SmallTraining training(StreamActivation([](const session::PlanArea& plan) {
    return session::PlanStream{.window_offset_bytes = Weight(plan).offset_bytes,
                               .window_bytes = 2 * kUnit};
  }));
  training.WarmUp();
  StepGoingDownColumns(&training);
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_GE(training.last().moved_out_bytes, 5 * kUnit);  // the weight, too
  training.CheckContents();
}

TEST(JobStreamTest, AKernelStreamsThroughAHoleIfItsWindowsRoomIsInUse) {
  SmallTraining training(StreamActivation([](const session::PlanArea& plan) {
    const session::PlanKernel& second = plan.kernels[kForward2];
    return session::PlanStream{
        .window_offset_bytes =
            plan.allocations[second.first_allocation].offset_bytes,
        .window_bytes = 2 * kUnit};
  }));
  training.WarmUp();
  StepGoingDownColumns(&training);
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.last().fallbacks, 0u);
  EXPECT_LE(training.last().moved_in_bytes, 8 * kUnit);
  training.CheckContents();
}

}  // namespace
}  // namespace stowage::runtime
