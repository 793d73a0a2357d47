// Proves that a plan can be executed. It shares no code with any policy.
//
//   absl::Status verdict = VerifyPlan(graph, system, plan);
//   // FAILED_PRECONDITION: overlap: at kernel 12 tensors 3 and 7 share bytes
//
// It proves: every tensor lies in whole pages, or, if it is small and the tier
// addressable, within one; every operand is in an addressable tier or listed as
// streamed; no two tensors overlap in a tier, moves under way included; no tier
// holds more than its capacity, and the fast tier no more than the plan's
// limit, at any boundary; nothing is read after it was freed or written while
// it is copied; a dropped tensor is as it was fetched, and the place it came
// from is held for it; workspace and pinned tensors stay in the fast tier, a
// workspace with the size that the chosen implementation gives it; persistent
// and wrapping tensors end where they began.
#ifndef STOWAGE_POLICIES_VERIFY_VERIFIER_H_
#define STOWAGE_POLICIES_VERIFY_VERIFIER_H_

#include "absl/status/status.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Returns OK, or FAILED_PRECONDITION whose message begins with the name of the
// first violation: "graph-mismatch", "bad-implementation",
// "missing-allocation", "duplicate-allocation", "bad-placement", "overlap",
// "over-limit", "over-capacity", "not-resident", "wrong-source", "bad-window",
// "use-after-free", "written-while-moving", "immovable", "not-cyclic",
// "bad-stream", "bad-drop", "stale-source". CANCELLED.
absl::Status VerifyPlan(const Graph& graph, const MemorySystem& system,
                        const Plan& plan,
                        const Cancellation& cancellation = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_VERIFY_VERIFIER_H_
