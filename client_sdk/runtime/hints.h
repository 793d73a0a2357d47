// What a step that is off its plan is told by the placement service: where
// tensors should be from which kernel on.
//
//   std::optional<std::vector<session::Hint>> hints =
//       CopyHints(segment->hints, plan, tier_count);
//   guide.Replace(*std::move(hints));
//   guide.Advance(kernel);   // those due are in guide.due
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_HINTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_HINTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "client_sdk/runtime/plan_table.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Copies and checks; nullopt if hints are out of order or name a kernel, tensor
// or tier that there is not.
std::optional<std::vector<session::Hint>> CopyHints(
    const session::HintArea& area, const PlanTable& plan, int tier_count);

// A step that runs the kernels of a plan without being driven by it. Guarded by
// the Job's mutex.
struct Guide {
  const PlanTable* plan = nullptr;  // null: no guide
  int32_t kernel = -1;              // the last one it was followed at
  int32_t stated_kernel = -1;       // of the last situation; -1: none
  bool awaits_answer = false;
  std::vector<session::Hint> ahead;  // from `next` on not yet due
  size_t next = 0;
  std::map<int32_t, session::Hint> due;  // by tensor

  // `hints` take the place of those that are not yet due.
  void Replace(std::vector<session::Hint> hints);
  // Hints for this kernel and those before come due. Returns how many were
  // superseded by a later one for the same tensor.
  int64_t Advance(int32_t kernel);
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_HINTS_H_
