// Declares placement hints, for a step that is off its plan: what the process
// says of its situation, and what the agent answers.
//
//   for (uint32_t i = 0; i < hints->hint_count; ++i) Follow(hints->hints[i]);
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_HINT_AREA_H_
#define STOWAGE_CLIENT_SDK_SESSION_HINT_AREA_H_

#include <cstdint>

#include "client_sdk/session/profile_area.h"
#include "client_sdk/session/setup_messages.h"

namespace stowage::session {

// How many kernels the hints of one answer reach ahead.
inline constexpr int32_t kHintWindow = 64;
inline constexpr uint32_t kMaxHints = 1u << 14;

struct Resident {
  int32_t tensor;  // as in the plan
  int32_t tier;
};

// The situation before a kernel of a step whose plan is known but does not
// drive it.
struct SituationArea {
  uint64_t plan;  // number of the plan that names kernels and tensors
  int32_t kernel;
  uint32_t resident_count;
  int64_t free_bytes[kMaxTiers];
  Resident residents[kMaxBlocks];
};

// The tensor should be in the tier from that kernel on.
struct Hint {
  int32_t kernel;
  int32_t tensor;
  int32_t tier;
  int32_t reserved;
};

struct HintArea {
  uint32_t hint_count;  // 0: there is no advice
  uint32_t reserved;
  Hint hints[kMaxHints];  // by kernel
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_HINT_AREA_H_
