#include "client_sdk/runtime/steps/step_publisher.h"

#include "client_sdk/runtime/process/mapping_time.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/planned_memory.h"

namespace stowage::runtime {
namespace {

// Its agent takes no profile by itself while it holds its moves.
class StepPublisherTest : public testing::Test {
 protected:
  StepPublisherTest()
      : segment_(*memory_.placed.client.segment()),
        publisher_(&memory_.placed.client, &memory_.placed.blocks,
                   &memory_.placed.mover) {
    memory_.placed.agent.HoldMoves();
    step_.Begin(/*now_ns=*/0);
    step_.profile.AddKernel(/*key=*/5, "relu", /*gap_ns=*/0);
  }

  PlannedMemory memory_;
  session::Segment& segment_;
  StepPublisher publisher_;
  RunningStep step_;
};

TEST_F(StepPublisherTest, AProfileHasTheStepThatItIsOf) {
  step_.index = 9;
  memory_.Make(3);
  publisher_.WriteProfile(step_, /*overhead_bytes=*/77);
  EXPECT_EQ(segment_.profiles_written, 1u);
  EXPECT_EQ(segment_.profile.step_index, 9);
  EXPECT_EQ(segment_.profile.kernel_count, 1u);
  EXPECT_EQ(segment_.profile.signature, step_.profile.signature());
  EXPECT_EQ(segment_.profile.tensor_peak_bytes, 3 * kPage);
  EXPECT_EQ(segment_.profile.unmanaged_peak_bytes, 77);
  EXPECT_GT(segment_.profile.duration_ns, 0);
}

TEST_F(StepPublisherTest, TheNextProfileWaitsUntilTheLastWasTaken) {
  EXPECT_TRUE(publisher_.TakesProfile(step_.profile));
  segment_.profiles_written.store(segment_.profiles_taken + 1);
  EXPECT_FALSE(publisher_.TakesProfile(step_.profile));
}

TEST_F(StepPublisherTest, ALostAgentTakesNoProfileAndTheUserIsToldOnce) {
  EXPECT_TRUE(publisher_.FindAgent());
  memory_.placed.agent.HangUp();
  EXPECT_FALSE(publisher_.TakesProfile(step_.profile));
  EXPECT_FALSE(publisher_.FindAgent());
  EXPECT_FALSE(publisher_.FindAgent());
  EXPECT_EQ(segment_.report.process_events.written, 1u);
}

TEST_F(StepPublisherTest, ASituationSaysWhereTensorsAreOrAreGoing) {
  PlanTensors tensors(&memory_.placed.blocks);
  memory_.MakeTensor(&tensors, 4, /*pages=*/1);
  Block* leaves = memory_.MakeTensor(&tensors, 2, /*pages=*/1);
  const Place room = memory_.placed.Room(1, leaves);
  ASSERT_TRUE(memory_.placed.mover.Begin(leaves, room));
  EXPECT_TRUE(publisher_.TakesSituation());
  publisher_.WriteSituation(/*plan_number=*/3, /*kernel=*/8, tensors);
  EXPECT_FALSE(publisher_.TakesSituation());
  const session::SituationArea& area = segment_.situation;
  EXPECT_EQ(area.plan, 3u);
  EXPECT_EQ(area.kernel, 8);
  EXPECT_EQ(area.free_bytes[0], 14 * kPage);
  ASSERT_EQ(area.resident_count, 2u);
  EXPECT_EQ(area.residents[0].tensor, 2);
  EXPECT_EQ(area.residents[0].tier, 1);
  EXPECT_EQ(area.residents[1].tensor, 4);
  EXPECT_EQ(area.residents[1].tier, 0);
}

TEST_F(StepPublisherTest, ARecordSaysWhatTheStepCameTo) {
  step_.index = 2;
  step_.fallbacks = 1;
  step_.times.kernels_ns = 6;
  step_.times.plan_wait_ns = 7;
  memory_.Make(3);
  const session::StepRecord record =
      publisher_.Record(step_, {.taken = 4, .ignored = 5});
  EXPECT_EQ(record.index, 2);
  EXPECT_EQ(record.mode, session::kStepDemand);
  EXPECT_EQ(record.fallbacks, 1u);
  EXPECT_EQ(record.kernel_count, 1);
  EXPECT_EQ(record.fast_peak_bytes, 3 * kPage);
  EXPECT_EQ(record.hints_taken, 4);
  EXPECT_EQ(record.hints_ignored, 5);
  EXPECT_EQ(record.predicted.step_ns, 0);
  EXPECT_EQ(record.times.kernels_ns, 6);
  EXPECT_EQ(record.stall_ns, record.times.stall_in_ns +
                                 record.times.stall_out_ns +
                                 record.times.plan_wait_ns);
}

TEST_F(StepPublisherTest, ARecordSaysWhatTheAgentSpentDuringTheStep) {
  segment_.agent_processor_ns = 100;
  publisher_.BeginStep();
  EXPECT_EQ(publisher_.Record(step_, {}).agent_processor_ns, 0);
  segment_.agent_processor_ns += 7;
  EXPECT_EQ(publisher_.Record(step_, {}).agent_processor_ns, 7);
  publisher_.BeginStep();
  segment_.agent_processor_ns += 5;
  EXPECT_EQ(publisher_.Record(step_, {}).agent_processor_ns, 5);
}

TEST_F(StepPublisherTest, ARecordSaysWhatMappingCallsTookDuringTheStep) {
  { const MappingTime before; }
  step_.Begin(/*now_ns=*/0);
  EXPECT_EQ(publisher_.Record(step_, {}).mapping_ns, 0);
  const int64_t before_ns = MappingTime::TotalNs();
  while (MappingTime::TotalNs() == before_ns) {
    const MappingTime time;
  }
  const session::StepRecord record = publisher_.Record(step_, {});
  EXPECT_EQ(record.mapping_ns, MappingTime::TotalNs() - before_ns);
  EXPECT_LE(record.system_ns, record.processor_ns);
}

TEST_F(StepPublisherTest, OnlyAStepThatBeganUnderAPlanHasAPrediction) {
  memory_.plan().predicted.step_ns = 123;
  memory_.plan().predicted.gaps_ns = 12;
  memory_.plan().predicted.stall_ns = 3;
  memory_.plan().predicted.stream_ns = 4;
  step_.plan = &memory_.plan();
  step_.On(StepEvent::kPlanStarts);
  EXPECT_EQ(publisher_.Record(step_, {}).mode, session::kStepPlan);
  EXPECT_EQ(publisher_.Record(step_, {}).predicted.step_ns, 123);
  EXPECT_EQ(publisher_.Record(step_, {}).predicted.gaps_ns, 12);
  EXPECT_EQ(publisher_.Record(step_, {}).predicted.stall_ns, 3);
  EXPECT_EQ(publisher_.Record(step_, {}).predicted.stream_ns, 4);
  step_.On(StepEvent::kSurprise);
  EXPECT_EQ(publisher_.Record(step_, {}).mode, session::kStepPlan);
  step_.On(StepEvent::kGuidanceEnds);
  step_.On(StepEvent::kProfileTaken);
  EXPECT_EQ(publisher_.Record(step_, {}).mode, session::kStepProfile);
  EXPECT_EQ(publisher_.Record(step_, {}).predicted.step_ns, 0);
}

TEST_F(StepPublisherTest, WritesTheKernelsOfAPlannedStepWithWhatWasPlanned) {
  memory_.plan().kernels = {{.key = 1, .duration_ns = 70}};
  step_.plan = &memory_.plan();
  step_.kernel_times = {{.duration_ns = 90}};
  publisher_.WriteKernels(step_);
  const session::KernelLog& log = segment_.report.kernels;
  ASSERT_EQ(log.written, 1u);
  EXPECT_EQ(log.entries[0].duration_ns, 90);
  EXPECT_EQ(log.entries[0].planned_ns, 70);
  EXPECT_STREQ(log.entries[0].name, "relu");
}

TEST_F(StepPublisherTest, WhatEndedThePlanIsAnEventOfItsStep) {
  session::Report& report = segment_.report;
  publisher_.WriteStep({.index = 0}, std::nullopt);
  EXPECT_EQ(report.process_events.written, 0u);
  publisher_.WriteStep({.index = 1},
                       Surprise{SurpriseReason::kRoomTaken, 6, "why"});
  EXPECT_EQ(report.steps.written, 2u);
  ASSERT_EQ(report.process_events.written, 1u);
  const session::EventRecord& event = report.process_events.entries[0];
  EXPECT_STREQ(event.reason, "room-taken");
  EXPECT_STREQ(event.detail, "why");
  EXPECT_EQ(event.kernel, 6);
  EXPECT_EQ(event.step, 1);
}

}  // namespace
}  // namespace stowage::runtime
