#include "client_sdk/torch/steps/step_marker.h"

#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::torch_plugin {
namespace {

constexpr char kSgd[] = "Optimizer.step#SGD.step";

// Asks what the hook asks before an operator that records gradients.
bool EndsStep(StepMarker& marker) {
  return marker.AwaitsForward() && marker.ForwardBegins();
}

TEST(StepMarkerTest, TheForwardPassAfterABackwardPassEndsTheStepOnce) {
  StepMarker marker;
  EXPECT_FALSE(EndsStep(marker));
  marker.BackwardBegins();
  EXPECT_TRUE(marker.in_backward());
  EXPECT_TRUE(EndsStep(marker));
  EXPECT_FALSE(marker.in_backward());
  EXPECT_FALSE(EndsStep(marker));
}

TEST(StepMarkerTest, AnOptimizerEndsStepsInPlaceOfBackwardPasses) {
  StepMarker marker;
  marker.BackwardBegins();
  EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
  EXPECT_FALSE(EndsStep(marker));
  EXPECT_TRUE(marker.RecordClosed(kSgd));
  marker.BackwardBegins();
  EXPECT_FALSE(EndsStep(marker));
}

TEST(StepMarkerTest, TheOutermostOfNestedOptimizersEndsTheStep) {
  StepMarker marker;
  EXPECT_TRUE(
      marker.RecordOpened("Optimizer.step#Outer.step", /*in_pass=*/false));
  EXPECT_FALSE(marker.RecordOpened(kSgd, /*in_pass=*/false));
  EXPECT_FALSE(marker.RecordClosed(kSgd));
  EXPECT_TRUE(marker.RecordClosed("Optimizer.step#Outer.step"));
}

// Lets an optimizer step; returns whether that ends the step of the job.
bool Updates(StepMarker& marker) {
  marker.RecordOpened(kSgd, /*in_pass=*/false);
  return marker.RecordClosed(kSgd);
}

TEST(StepMarkerTest, OptimizersThatStepOneAfterTheOtherEndOneStep) {
  StepMarker marker;
  for (int iteration = 0; iteration < 3; ++iteration) {
    marker.BackwardBegins();
    EXPECT_TRUE(Updates(marker));
    EXPECT_FALSE(Updates(marker));
    EXPECT_FALSE(Updates(marker));
  }
}

TEST(StepMarkerTest, EachOptimizerEndsAStepWhereNoGradientsAreComputed) {
  StepMarker marker;
  EXPECT_TRUE(Updates(marker));
  EXPECT_TRUE(Updates(marker));
  marker.BackwardBegins();
  EXPECT_TRUE(Updates(marker));
  // Nor where none are any more.
  for (int i = 1; i < 1024; ++i) EXPECT_FALSE(Updates(marker));
  EXPECT_TRUE(Updates(marker));
  EXPECT_TRUE(Updates(marker));
  marker.BackwardBegins();
  EXPECT_TRUE(Updates(marker));
  EXPECT_FALSE(Updates(marker));
}

TEST(StepMarkerTest, GradientsThatAnOptimizerComputesAnewBelongToAnotherStep) {
  StepMarker marker;
  EXPECT_TRUE(
      marker.RecordOpened("Optimizer.step#LBFGS.step", /*in_pass=*/false));
  EXPECT_FALSE(EndsStep(marker));
  for (int evaluation = 0; evaluation < 3; ++evaluation) {
    marker.BackwardBegins();
    EXPECT_TRUE(EndsStep(marker));
    EXPECT_FALSE(EndsStep(marker));
  }
  marker.BackwardBegins();
  EXPECT_TRUE(marker.RecordClosed("Optimizer.step#LBFGS.step"));
  EXPECT_FALSE(EndsStep(marker));
}

TEST(StepMarkerTest, OptimizersThatABackwardPassCallsEndNoStep) {
  StepMarker marker;
  marker.ExpectOptimizer();
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(EndsStep(marker), step > 0);
    marker.BackwardBegins();
    for (int parameter = 0; parameter < 2; ++parameter) {
      EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/true));
      EXPECT_FALSE(marker.RecordClosed(kSgd));
    }
  }
  EXPECT_TRUE(marker.in_backward());
}

TEST(StepMarkerTest, AnOptimizerAfterThoseOfTheBackwardPassEndsTheStep) {
  StepMarker marker;
  marker.ExpectOptimizer();
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(EndsStep(marker));
    marker.BackwardBegins();
    EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/true));
    EXPECT_FALSE(marker.RecordClosed(kSgd));
    EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
    EXPECT_TRUE(marker.RecordClosed(kSgd));
  }
}

TEST(StepMarkerTest, OtherRecordsEndNothing) {
  StepMarker marker;
  EXPECT_FALSE(marker.RecordOpened("DataLoader", /*in_pass=*/false));
  EXPECT_FALSE(marker.RecordClosed("DataLoader"));
  EXPECT_FALSE(marker.RecordClosed(kSgd));
}

TEST(StepMarkerTest, TheForwardPassAfterACompiledUpdateEndsTheStep) {
  StepMarker marker;
  marker.ExpectOptimizer();
  for (int step = 0; step < 3; ++step) {
    EXPECT_EQ(EndsStep(marker), step > 0);
    marker.BackwardBegins();
    EXPECT_TRUE(marker.UpdateBegins());
    EXPECT_FALSE(marker.UpdateBegins());
  }
}

TEST(StepMarkerTest, GradientsAccumulateBeforeACompiledUpdate) {
  StepMarker marker;
  marker.ExpectOptimizer();
  EXPECT_FALSE(EndsStep(marker));
  marker.BackwardBegins();
  EXPECT_TRUE(marker.UpdateBegins());
  EXPECT_TRUE(EndsStep(marker));
  marker.BackwardBegins();
  EXPECT_FALSE(EndsStep(marker));
  marker.BackwardBegins();
  EXPECT_TRUE(marker.UpdateBegins());
  EXPECT_TRUE(EndsStep(marker));
}

TEST(StepMarkerTest, AnOptimizersOwnKernelsAreNoCompiledUpdate) {
  StepMarker marker;
  marker.BackwardBegins();
  EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
  EXPECT_FALSE(marker.UpdateBegins());
  EXPECT_TRUE(marker.RecordClosed(kSgd));
}

TEST(StepMarkerTest, AStepThatIsCompiledAsAWholeEndsWithTheNextGraph) {
  StepMarker marker;
  EXPECT_FALSE(marker.CompiledGraphCalled(/*with_own_results=*/false));
  EXPECT_FALSE(marker.CompiledGraphCalled(/*with_own_results=*/false));
  for (int step = 0; step < 3; ++step) {
    EXPECT_TRUE(marker.UpdateBegins());
    EXPECT_FALSE(marker.UpdateBegins());
    EXPECT_TRUE(marker.CompiledGraphCalled(/*with_own_results=*/false));
  }
}

TEST(StepMarkerTest, AGraphThatIsGivenItsResultsBeginsAStep) {
  StepMarker marker;
  EXPECT_FALSE(marker.CompiledGraphCalled(/*with_own_results=*/false));
  EXPECT_TRUE(marker.CompiledGraphCalled(/*with_own_results=*/true));
  EXPECT_TRUE(marker.CompiledGraphCalled(/*with_own_results=*/true));
}

TEST(StepMarkerTest, WhereThereAreBackwardPassesNoGraphIsAWholeStep) {
  StepMarker marker;
  marker.BackwardBegins();
  EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
  EXPECT_TRUE(marker.RecordClosed(kSgd));
  EXPECT_FALSE(marker.UpdateBegins());
  EXPECT_FALSE(marker.CompiledGraphCalled(/*with_own_results=*/true));
}

TEST(StepMarkerTest, AnOptimizerThatNeverStepsIsGivenUp) {
  StepMarker marker;
  marker.ExpectOptimizer();
  int backward_passes = 1;
  for (marker.BackwardBegins(); !EndsStep(marker); ++backward_passes) {
    ASSERT_LT(backward_passes, 1000);
    marker.BackwardBegins();
  }
  EXPECT_GT(backward_passes, 100);
}

TEST(StepMarkerTest, OnlyCallsEndStepsOnceTheyDid) {
  StepMarker marker;
  marker.SetManual();
  marker.BackwardBegins();
  EXPECT_FALSE(EndsStep(marker));
  marker.RecordOpened(kSgd, /*in_pass=*/false);
  EXPECT_FALSE(marker.RecordClosed(kSgd));
}

constexpr uint64_t kStudent = 1, kTeacher = 2;

// A training step that ends with an optimizer's. Returns whether it ended one
// before it.
bool Train(StepMarker& marker) {
  const bool ended = EndsStep(marker);
  marker.BackwardBegins();
  marker.RecordOpened(kSgd, /*in_pass=*/false);
  EXPECT_TRUE(marker.RecordClosed(kSgd));
  return ended;
}

void TrainBeforeEvaluation(StepMarker& marker) {
  for (int i = 0; i < StepMarker::kStepsBeforeEvaluation; ++i) Train(marker);
}

TEST(StepMarkerTest, EachBatchOfAnEvaluationIsAStep) {
  StepMarker marker;
  TrainBeforeEvaluation(marker);
  EXPECT_FALSE(marker.EvaluationCalls(kStudent));
  for (int batch = 1; batch < 4; ++batch) {
    EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  }
  EXPECT_TRUE(Train(marker));  // the last batch
  EXPECT_FALSE(Train(marker));
}

TEST(StepMarkerTest, TheModulesOfOneBatchAreOneStep) {
  StepMarker marker;
  TrainBeforeEvaluation(marker);
  marker.EvaluationCalls(kStudent);
  marker.EvaluationCalls(kTeacher);
  EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  EXPECT_FALSE(marker.EvaluationCalls(kTeacher));
}

TEST(StepMarkerTest, ATrainingStepMayCallATeacherFirst) {
  StepMarker marker;
  TrainBeforeEvaluation(marker);
  for (int step = 0; step < 3; ++step) {
    EXPECT_FALSE(marker.EvaluationCalls(kTeacher));
    EXPECT_FALSE(Train(marker));
  }
}

TEST(StepMarkerTest, ATrainingStepMayCallOthersOftenOnceItRecordsGradients) {
  StepMarker marker;
  TrainBeforeEvaluation(marker);
  EXPECT_FALSE(EndsStep(marker));
  for (int call = 0; call < 3; ++call) {
    EXPECT_FALSE(marker.EvaluationCalls(kTeacher));
  }
  marker.BackwardBegins();
  EXPECT_FALSE(marker.EvaluationCalls(kTeacher));
}

TEST(StepMarkerTest, WithoutAnOptimizerAnEvaluationEndsTheTrainingStep) {
  StepMarker marker;
  for (int step = 0; step < 3; ++step) {
    EndsStep(marker);
    marker.BackwardBegins();
  }
  EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  EXPECT_TRUE(EndsStep(marker));
}

TEST(StepMarkerTest, BackwardPassesThatAnOptimizerAccumulatesAreOneStep) {
  StepMarker marker;
  TrainBeforeEvaluation(marker);
  for (int pass = 0; pass < 3; ++pass) {
    EXPECT_FALSE(marker.EvaluationCalls(kTeacher));
    EXPECT_FALSE(EndsStep(marker));
    marker.BackwardBegins();
  }
}

TEST(StepMarkerTest, NoEvaluationIsToldApartBeforeTheJobHasTrained) {
  StepMarker marker;
  for (int batch = 0; batch < 4; ++batch) {
    EXPECT_FALSE(marker.EvaluationCalls(kStudent));
  }
  EXPECT_FALSE(Train(marker));
}

TEST(StepMarkerTest, BatchesOfAJobThatNeverTrainsAreToldApartInTheEnd) {
  StepMarker marker;
  for (int call = 0; call < StepMarker::kCallsBeforeEvaluation; ++call) {
    EXPECT_FALSE(marker.EvaluationCalls(kStudent));
  }
  EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  EXPECT_TRUE(marker.EvaluationCalls(kStudent));
  EXPECT_TRUE(Train(marker));
  EXPECT_FALSE(Train(marker));
}

TEST(StepMarkerTest, OptimizersOfTwoThreadsAreNotOneWithinTheOther) {
  StepMarker marker;
  EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
  std::thread([&marker] {
    EXPECT_TRUE(marker.RecordOpened(kSgd, /*in_pass=*/false));
    EXPECT_TRUE(marker.RecordClosed(kSgd));
  }).join();
  EXPECT_TRUE(marker.RecordClosed(kSgd));
}

TEST(StepMarkerTest, OfThreadsThatBeginAForwardPassAtOnceOneEndsTheStep) {
  constexpr int kThreads = 4, kSteps = 2000;
  StepMarker marker;
  std::atomic<int> steps{0};
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int step = 0; step < kSteps; ++step) {
        if (i == 0) marker.BackwardBegins();
        together.arrive_and_wait();
        if (EndsStep(marker)) ++steps;
        together.arrive_and_wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(steps, kSteps);
}

// This is for the thread sanitizer: a thread that loads data asks all along.
TEST(StepMarkerTest, OtherThreadsMayAskWhileOneTrains) {
  StepMarker marker;
  std::atomic<bool> trained{false};
  std::thread loader([&] {
    while (!trained) {
      marker.in_backward();
      marker.AwaitsForward();
      marker.EvaluationCalls(kTeacher);
    }
  });
  for (int step = 0; step < 1000; ++step) {
    marker.BackwardBegins();
    marker.RecordOpened(kSgd, /*in_pass=*/false);
    EXPECT_TRUE(marker.RecordClosed(kSgd));
  }
  marker.ExpectOptimizer();
  marker.SetManual();
  trained = true;
  loader.join();
}

}  // namespace
}  // namespace stowage::torch_plugin
