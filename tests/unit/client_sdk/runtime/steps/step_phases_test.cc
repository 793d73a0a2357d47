#include "client_sdk/runtime/steps/step_phases.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

void NoteKernels(int count, StepPhases* phases) {
  for (int i = 0; i < count; ++i) phases->NoteKernel();
}

TEST(StepPhasesTest, AStepOutsideOfAnyPhaseHasNoName) {
  StepPhases phases;
  EXPECT_EQ(phases.Longest(), "");
  NoteKernels(1, &phases);
  EXPECT_EQ(phases.Longest(), "");
}

TEST(StepPhasesTest, AStepBelongsToThePhaseOfMostOfItsKernels) {
  StepPhases phases;
  NoteKernels(2, &phases);  // loads a batch
  EXPECT_EQ(phases.Enter("warmup"), "");
  NoteKernels(5, &phases);
  EXPECT_EQ(phases.Enter("metrics"), "warmup");
  NoteKernels(4, &phases);
  EXPECT_EQ(phases.Enter(""), "metrics");
  EXPECT_EQ(phases.Longest(), "warmup");
}

TEST(StepPhasesTest, KernelsOfAPhaseThatIsEnteredAgainAddUp) {
  StepPhases phases;
  for (int i = 0; i < 2; ++i) {
    phases.Enter("forward");
    NoteKernels(2, &phases);
    phases.Enter("loss");
    NoteKernels(1, &phases);
  }
  NoteKernels(1, &phases);
  EXPECT_EQ(phases.Longest(), "forward");
}

TEST(StepPhasesTest, APhaseGoesOnInTheNextStepAndItsKernelsDoNot) {
  StepPhases phases;
  NoteKernels(9, &phases);
  phases.Enter("train");
  phases.BeginStep();
  EXPECT_EQ(phases.Longest(), "train");
  EXPECT_EQ(phases.Enter(""), "train");
  NoteKernels(1, &phases);
  EXPECT_EQ(phases.Longest(), "");
}

}  // namespace
}  // namespace stowage::runtime
