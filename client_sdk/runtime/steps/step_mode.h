// The modes of a step, and what changes them.
//
//   StepMode mode = StepMode::kDemand;
//   mode = Next(mode, StepEvent::kPlanStarts);  // kPlan
//   mode = Next(mode, StepEvent::kSurprise);    // kGuided
//
// Each step begins in demand mode, whatever the last one was, and is in one
// mode at any instant:
//
//   kDemand   No plan is known for it. Room is made when it is needed, and
//             operands are fetched when they are used (demand_placer.h).
//   kPlan     A plan drives it (plan_driver.h).
//   kGuided   Its kernels are a plan's so far, and the plan does not drive.
//             Demand mode does, and hints are followed (hint_follower.h).
//   kOffPlan  A plan was expected, and its kernels are no longer the plan's.
//             As demand mode; what the plan named keeps its name.
//   kProfile  It is over, and the agent has its profile: a plan will come of
//             it. The mode of no step that still runs.
//
// What is recorded does not depend on the mode: each step records its profile,
// and which one is published is known when it has ended.
//
// Transitions; "-" cannot happen:
//
//   event \ mode     kDemand    kPlan      kGuided    kOffPlan   kProfile
//   kPlanStarts      kPlan      -          -          -          -
//   kPlanCannotStart kGuided    -          -          -          -
//   kSurprise        -          kGuided    -          -          -
//   kGuidanceEnds    -          -          kOffPlan   -          -
//   kProfileTaken    kProfile   -          -          kProfile   -
//   kStepBegins      kDemand    kDemand    kDemand    kDemand    kDemand
//
// Within kPlan the plan may change, once or more: to that of the kind of step
// which the step turns out to be. But plans are left once in a step and never
// taken up again before the next one, and a step that a plan drove to its end
// is never the first of its kind to be profiled.
//
// Pure.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_MODE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_MODE_H_

namespace stowage::runtime {

enum class StepMode { kDemand, kPlan, kGuided, kOffPlan, kProfile };

enum class StepEvent {
  kStepBegins,
  // All tensors that are alive are where the expected plan wants them.
  kPlanStarts,
  // A plan is expected, and does not fit, failed too often, is slower than
  // demand mode (mode_choice.h), or cannot have them there.
  kPlanCannotStart,
  // Something that the plan did not foresee (surprise.h).
  kSurprise,
  // A kernel or an allocation that the plan does not have; or the end of the
  // step, after which no hint is followed.
  kGuidanceEnds,
  // The step has ended, and its profile was written for the agent.
  kProfileTaken,
};

// Returns the mode after the event. Aborts where the table has none.
StepMode Next(StepMode mode, StepEvent event);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_STEP_MODE_H_
