// Holds the step that is running: which one it is, and what is recorded of it.
//
//   RunningStep step;
//   step.Begin(session::NowNs());
//   step.On(StepEvent::kPlanStarts);
//   step.Enter(&kernel, session::NowNs(), /*stalls_ns=*/0);
//   step.profile.AddOperand(kernel.index, operand);
//   step.End(kernel, {.end_ns = session::NowNs()});
//   publisher.WriteProfile(step, overhead_bytes);
//   ++step.index;
//
// Plain data that the Job fills in and others read. The Job's mutex guards it.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_STEP_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_STEP_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "client_sdk/runtime/moves/fault_waits.h"
#include "client_sdk/runtime/plans/mode_choice.h"
#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/process/process_usage.h"
#include "client_sdk/runtime/steps/running_kernel.h"
#include "client_sdk/runtime/steps/step_mode.h"
#include "client_sdk/runtime/steps/step_phases.h"
#include "client_sdk/runtime/steps/step_profile.h"
#include "client_sdk/runtime/steps/surprise.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

struct KernelEnd {
  int64_t end_ns = 0;
  int64_t stall_ns = 0;            // that the kernel caused
  session::LaneTimes copied = {};  // by the lanes until then
  // The window, and what was read through it.
  int64_t window_bytes = 0;
  int64_t window_read_bytes = 0;
};

struct RunningStep {
  int64_t index = 0;  // of the job, from 0
  StepMode mode = StepMode::kDemand;
  int64_t begin_ns = 0;
  int64_t last_end_ns = 0;     // when the last kernel ended, or the step began
  int64_t last_stalls_ns = 0;  // of the step, until then
  // Where its time goes; the mover knows the stalls.
  session::StepTimes times = {};
  session::LaneTimes beside = {};  // of its kernels: copies ran meanwhile
  ProcessUsage usage_before;
  int64_t limit_bytes = 0;  // at its end; 0: there is none
  // How often a plan was left, or could not start.
  uint32_t fallbacks = 0;
  FaultWaits fault_waits;           // of its last kernel
  const PlanTable* plan = nullptr;  // drove it from the start
  // Why a plan did not, but for surprises, and the median of steps that it
  // drove.
  session::PlanSkip plan_skip = session::kPlanNotSkipped;
  int64_t plan_median_ns = 0;
  std::optional<Surprise> surprise;  // that ended this
  StepPhases phases;                 // that the script names
  StepProfile profile;
  std::vector<session::KernelTimes> kernel_times;  // by kernel; without names
  BirthTagger tagger;

  // Begins the next step, or the first; keeps the index and the phase.
  void Begin(int64_t now_ns);
  void On(StepEvent event) { mode = Next(mode, event); }
  // Returns whether demand mode is the faster one of both, or is to be
  // measured, and records why the plan does not drive then.
  bool SkipsPlan(const ModeChoice& choice);

  // Returns whether the kernel has been entered in this step.
  bool Has(const RunningKernel& kernel) const {
    return kernel.index >= 0 && kernel.step == index;
  }
  // Notes that no kernel runs from `now_ns` on, and what the step has stalled
  // so far: what it stalls until the next kernel is no gap.
  void BeginGap(int64_t now_ns, int64_t stalls_ns);
  // Ends the last gap at `now_ns`.
  void EndKernels(int64_t now_ns, int64_t stalls_ns);
  // Enters the kernel, which began at `now_ns`, as the next one of the step,
  // which has stalled for `stalls_ns` so far.
  void Enter(RunningKernel* kernel, int64_t now_ns, int64_t stalls_ns);
  // Records that the kernel has ended, after it did not run for
  // `kernel.moved_ns` and the time that its threads waited for faults. Kernels
  // of other threads may have caused some of these.
  void End(const RunningKernel& kernel, const KernelEnd& end);

 private:
  // Returns how long nothing has run until `now_ns`, stalls apart.
  int64_t GapNs(int64_t now_ns, int64_t stalls_ns) const;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_RUNNING_STEP_H_
