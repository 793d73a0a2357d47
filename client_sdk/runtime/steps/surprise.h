// Describes what ends plan mode for the rest of a step: something that the plan
// did not foresee.
//
//   std::optional<Surprise> surprise = driver.BeginKernel(kernel);
//   if (surprise.has_value()) driver.Leave();
//
// Whoever follows a plan returns a surprise and does nothing about it; the Job
// alone leaves the plan. So a step has one surprise at most. It is reported
// when the step is over, as an event whose reason is NameOf(reason).
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_STEPS_SURPRISE_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_STEPS_SURPRISE_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace stowage::runtime {

enum class SurpriseReason {
  // The program does something else than in the profiled step.
  kKernelSequence,      // another kernel
  kAllocationSequence,  // another allocation
  kStepEndedEarly,      // fewer kernels
  kWrittenWhileMoving,  // a kernel writes a tensor while it is being copied
  kOperandNotResident,  // a kernel needs a tensor that is not there
  kAddressTaken,        // an address is told outside, for which room is needed
  // Memory is otherwise than the plan expects.
  kRoomTaken,       // fast room that the plan names is held by another tensor
  kSlowTierFull,    // no room in the tier that the plan names
  kMoveImpossible,  // a tensor is elsewhere, in use, or its room is held
  kMoveFailed,      // the copy failed
};

struct Surprise {
  SurpriseReason reason;
  int32_t kernel = -1;  // the step's kernel at which it was found
  std::string detail;   // for people
};

// Returns the constant name of the reason, as reports have it.
constexpr std::string_view NameOf(SurpriseReason reason) {
  switch (reason) {
    case SurpriseReason::kKernelSequence:
      return "kernel-sequence";
    case SurpriseReason::kAllocationSequence:
      return "allocation-sequence";
    case SurpriseReason::kStepEndedEarly:
      return "step-ended-early";
    case SurpriseReason::kWrittenWhileMoving:
      return "written-while-moving";
    case SurpriseReason::kOperandNotResident:
      return "operand-not-resident";
    case SurpriseReason::kAddressTaken:
      return "address-taken";
    case SurpriseReason::kRoomTaken:
      return "room-taken";
    case SurpriseReason::kSlowTierFull:
      return "slow-tier-full";
    case SurpriseReason::kMoveImpossible:
      return "move-impossible";
    case SurpriseReason::kMoveFailed:
      return "move-failed";
  }
  return "unknown";
}

// Returns whether the reason is that the step is of another kind than the plan.
constexpr bool IsOfOtherKind(SurpriseReason reason) {
  return reason == SurpriseReason::kKernelSequence ||
         reason == SurpriseReason::kAllocationSequence ||
         reason == SurpriseReason::kStepEndedEarly;
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_STEPS_SURPRISE_H_
