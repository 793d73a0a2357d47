// Holds what the placement service tells a step that is off its plan: in which
// tier tensors should be, and from which kernel on.
//
//   std::optional<std::vector<session::Hint>> hints =
//       CopyHints(segment->hints, plan, tier_count);
//   HintQueue queue;
//   queue.Replace(*std::move(hints));
//   queue.Advance(kernel);   // those due are in queue.due
//
// Plain data. Not thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PLANS_HINTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PLANS_HINTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/session/session.h"

namespace stowage::runtime {

// Copies and checks the hints. Returns nullopt if they are out of order or name
// a kernel, tensor or tier that does not exist.
std::optional<std::vector<session::Hint>> CopyHints(
    const session::HintArea& area, const PlanTable& plan, int tier_count);

// What came of hints in one step.
struct HintTotals {
  int64_t taken = 0;    // moves begun, or tensors placed, because of one
  int64_t ignored = 0;  // late, or could not be followed
};

// Holds hints that were given and not yet followed.
struct HintQueue {
  std::vector<session::Hint> ahead;  // from `next` on not yet due
  size_t next = 0;
  std::map<int32_t, session::Hint> due;  // by tensor

  // Replaces the hints that are not yet due by `hints`.
  void Replace(std::vector<session::Hint> hints);
  // Makes the hints for this kernel and those before it due. Returns how many a
  // later hint for the same tensor superseded.
  int64_t Advance(int32_t kernel);
};

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PLANS_HINTS_H_
