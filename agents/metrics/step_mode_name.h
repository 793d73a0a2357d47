// Names what drove a step, as the label "mode" of metrics does.
//
//   const char* mode = StepModeName(step.mode());  // "plan"
#ifndef STOWAGE_AGENTS_METRICS_STEP_MODE_NAME_H_
#define STOWAGE_AGENTS_METRICS_STEP_MODE_NAME_H_

#include <array>
#include <cstddef>

#include "stowage/v1/node.pb.h"

namespace stowage::agent {

// By the values of StepMode.
inline constexpr std::array<const char*, v1::StepMode_ARRAYSIZE>
    kStepModeNames = {"unspecified", "demand", "profile", "plan"};

// Returns the place of a mode in kStepModeNames. A mode that is not known, of a
// newer runtime, is unspecified.
inline size_t StepModeIndex(v1::StepMode mode) {
  return v1::StepMode_IsValid(mode) ? static_cast<size_t>(mode) : 0;
}

inline const char* StepModeName(v1::StepMode mode) {
  return kStepModeNames[StepModeIndex(mode)];
}

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_METRICS_STEP_MODE_NAME_H_
