// Tells the agent about the steps of a job: their profiles, where tensors are
// in a step that is off its plan, and what each step came to.
//
//   StepPublisher publisher(&client, &blocks, &mover);
//   publisher.BeginStep();
//   if (publisher.TakesProfile(step.profile)) {
//     publisher.WriteProfile(step, overhead_bytes);
//   }
//   const session::StepRecord record = publisher.Record(step, hints);
//   publisher.WriteStep(record, step.surprise);
//   if (step.mode == StepMode::kPlan) publisher.WriteKernels(step);
//   if (publisher.TakesSituation()) publisher.WriteSituation(1, 0, tensors);
//
// Each of these goes to a shared area that has one owner at a time. An area
// belongs to the process until a counter says that it was written, and to the
// agent until another counter says that it was taken: TakesProfile() and
// TakesSituation() say whose it is. The logs of the report always belong to the
// process.
//
// Invariants:
//  * All that the process writes to the segment is written here, but for moves
//    (MoveLanes), the limit (FastLimit) and single events (report_log.h).
//  * An area is complete before its counter says so.
//  * Nothing here changes what the job does; the agent may be gone.
//
// The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PUBLISHER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PUBLISHER_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "client_sdk/runtime/blocks/placed_blocks.h"
#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/moves/mover.h"
#include "client_sdk/runtime/plans/hints.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "client_sdk/runtime/steps/running_step.h"
#include "client_sdk/runtime/steps/step_profile.h"
#include "client_sdk/runtime/steps/surprise.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

class StepPublisher {
 public:
  // All arguments must outlive it.
  StepPublisher(SessionClient* client, const PlacedBlocks* blocks,
                const Mover* mover)
      : client_(client), blocks_(blocks), mover_(mover) {}
  StepPublisher(const StepPublisher&) = delete;
  StepPublisher& operator=(const StepPublisher&) = delete;

  // ---- Profiles ----

  // Returns whether the agent is there, has taken the last profile, and has
  // room for this one.
  bool TakesProfile(const StepProfile& profile) const;
  // Writes the profile of a step that has just ended. No plan can use
  // `overhead_bytes` of the limit.
  void WriteProfile(const RunningStep& step, int64_t overhead_bytes);

  // ---- Situations ----

  // Returns whether the last situation has been answered.
  bool TakesSituation() const;
  // States which kernel of the plan the step has reached, where the plan's
  // tensors are or are going, and how much room there is.
  void WriteSituation(uint64_t plan_number, int32_t kernel,
                      const PlanTensors& tensors);

  // ---- Steps ----

  // Notes what the agent has spent for the job when a step begins.
  void BeginStep() { agent_before_ns_ = AgentProcessorNs(); }
  // Returns the record of the step, which ends now.
  session::StepRecord Record(const RunningStep& step,
                             const HintTotals& hints) const;
  // Adds the step to the report's log, and the reason for which its plan ended
  // to the events. Tells the user, once, that code wrote a tensor unseen.
  void WriteStep(const session::StepRecord& record,
                 const std::optional<Surprise>& surprise);
  // Writes how long the kernels of a step took that its plan drove to its end,
  // in place of those of the step before.
  void WriteKernels(const RunningStep& step);
  // Returns whether the agent is there. Tells the user, once, if it is gone.
  bool FindAgent();
  // Tells the user that the job has gone over to another agent, or, once for
  // each reason, why it cannot; if there is none, says nothing.
  void NoteReturn(bool is_back, const std::string& error);

 private:
  session::Report* report() const { return &client_->segment()->report; }
  int64_t AgentProcessorNs() const {
    return client_->segment()->agent_processor_ns.load(
        std::memory_order_relaxed);
  }
  void TellUnseenWrites();

  SessionClient* client_;
  const PlacedBlocks* blocks_;
  const Mover* mover_;
  int64_t agent_before_ns_ = 0;
  bool agent_lost_written_ = false;
  bool unseen_writes_told_ = false;
  std::string return_error_;  // the last that was told
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_PUBLISHER_H_
