// Finds the least limit under which steps hardly take longer than alone.
//
//   const auto plan = [&](int64_t limit_bytes) { return Ask(limit_bytes); };
//   absl::StatusOr<int64_t> limit_bytes =
//       FindLimit(/*most_bytes=*/peak_bytes, /*most_ns=*/step_ns, plan);
//
// By bisection: plans are slower under smaller limits, as a rule. Where they
// are not, a limit is found that keeps the bound, and not the least.
#ifndef STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_SEARCH_H_
#define STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_SEARCH_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "agents/jobs/planning/plan_under_limit.h"

namespace stowage::agent {

// Returns a limit of at most `most_bytes`, in whole pages, with a plan that
// streams nothing and whose step takes at most `most_ns`; it is within a
// hundredth of `most_bytes` of the least such one. Returns `most_bytes` if
// there is no such limit. Makes eight plans at most. Errors are those of the
// first plan, and of any that the limit does not explain.
absl::StatusOr<int64_t> FindLimit(int64_t most_bytes, int64_t most_ns,
                                  PlanUnderLimit plan);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_PLANNING_LIMIT_SEARCH_H_
