#include "agents/telemetry/step_queue.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

void PushSteps(StepQueue& queue, int first, int count) {
  std::vector<v1::StepTelemetry> steps(count);
  for (int i = 0; i < count; ++i) steps[i].set_index(first + i);
  queue.Push(std::move(steps));
}

TEST(StepQueueTest, GivesStepsInOrderAndInBatches) {
  StepQueue queue(/*capacity=*/10, /*batch_size=*/2);
  PushSteps(queue, 0, 3);
  EXPECT_EQ(queue.Peek()->steps_size(), 2);
  queue.Acknowledge();
  ASSERT_EQ(queue.Peek()->steps_size(), 1);
  EXPECT_EQ(queue.Peek()->steps(0).index(), 2);
  queue.Acknowledge();
  EXPECT_FALSE(queue.Peek().has_value());
}

TEST(StepQueueTest, GivesABatchAgainUntilItIsAcknowledged) {
  StepQueue queue(/*capacity=*/10, /*batch_size=*/5);
  PushSteps(queue, 0, 1);
  queue.Peek();
  PushSteps(queue, 1, 1);
  ASSERT_EQ(queue.Peek()->steps_size(), 1);
  EXPECT_EQ(queue.Peek()->steps(0).index(), 0);
}

TEST(StepQueueTest, DropsTheOldestStepsAndSaysHowMany) {
  StepQueue queue(/*capacity=*/4, /*batch_size=*/10);
  PushSteps(queue, 0, 7);
  const auto batch = queue.Peek();
  EXPECT_EQ(batch->dropped_steps(), 3);
  EXPECT_EQ(batch->steps(0).index(), 3);
  queue.Acknowledge();
  PushSteps(queue, 7, 1);
  EXPECT_EQ(queue.Peek()->dropped_steps(), 0);
}

}  // namespace
}  // namespace stowage::agent
