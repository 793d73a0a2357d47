#include "client_sdk/runtime/steps/step_mode.h"

#include <stdlib.h>

namespace stowage::runtime {

StepMode Next(StepMode mode, StepEvent event) {
  const bool on_demand =
      mode == StepMode::kDemand || mode == StepMode::kOffPlan;
  switch (event) {
    case StepEvent::kStepBegins:
      return StepMode::kDemand;
    case StepEvent::kPlanStarts:
      if (mode == StepMode::kDemand) return StepMode::kPlan;
      break;
    case StepEvent::kPlanCannotStart:
      if (mode == StepMode::kDemand) return StepMode::kGuided;
      break;
    case StepEvent::kSurprise:
      if (mode == StepMode::kPlan) return StepMode::kGuided;
      break;
    case StepEvent::kGuidanceEnds:
      if (mode == StepMode::kGuided) return StepMode::kOffPlan;
      break;
    case StepEvent::kProfileTaken:
      if (on_demand) return StepMode::kProfile;
      break;
  }
  abort();
}

}  // namespace stowage::runtime
