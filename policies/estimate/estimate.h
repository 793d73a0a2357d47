// Estimates how fast a job trains with how much fast memory, before it runs.
//
//   absl::StatusOr<JobEstimate> estimate =
//       EstimateJob(graph, system, plan_under_limit, {.budget = absl::Seconds(1)});
//   for (const EstimatePoint& point : estimate->points) Draw(point);
//   for (const SpeedGoal& goal : estimate->goals) Print(goal.limit_bytes);
//
// The estimate is made of plans, which the caller makes and verifies, so that
// each point is a step that can run.
#ifndef STOWAGE_POLICIES_ESTIMATE_ESTIMATE_H_
#define STOWAGE_POLICIES_ESTIMATE_ESTIMATE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

// Says what a step is like under one limit.
struct EstimatePoint {
  int64_t limit_bytes = 0;
  int64_t step_time_ns = 0;
  int64_t bound_ns = 0;         // no plan takes less under this limit
  int64_t slow_peak_bytes = 0;  // in all slower tiers together, at their peaks
  int64_t moved_in_bytes = 0;
  int64_t moved_out_bytes = 0;
  int64_t moves_in = 0;
  int64_t moves_out = 0;
  // Kernels whose operands do not fit together and stream. A step that has some
  // is slower than predicted, as a rule.
  int64_t streaming_kernels = 0;
  double price_usd = -1;  // of limit and slow peaks; -1: a price is not known
};

// Answers how much fast memory a share of full speed takes.
struct SpeedGoal {
  double speed = 1;  // all-fast step time over step time, in (0, 1]
  // The least limit with a plan that reaches it and streams nothing, within a
  // hundredth of the peak; 0: no limit does.
  int64_t limit_bytes = 0;
};

struct JobEstimate {
  int64_t peak_bytes = 0;         // of all tensors; more memory helps nothing
  int64_t all_fast_ns = 0;        // the step with everything fast
  int64_t least_limit_bytes = 0;  // the least under which there is a plan
  std::string least_kernel;       // the kernel that needs it
  // By limit, from the least to the peak. Where nothing streams, step times do
  // not rise: what can run under one limit can run under a larger one.
  std::vector<EstimatePoint> points;
  std::vector<SpeedGoal> goals;  // as asked for
  int64_t knee_bytes = 0;        // knee.h; 0: the curve has none
};

struct EstimateOptions {
  // The limits of the first look, equally far apart, >= 2.
  int points = 9;
  std::vector<double> speeds = {0.9, 0.95, 0.99};
  // What all plans and bounds may take together, about. More of it gives better
  // plans.
  absl::Duration budget = absl::Seconds(1);
  // Calls two functions at once; empty: one after the other.
  CallBoth call_both;
};

// Makes a verified plan with its prediction within about `think_time`.
// FAILED_PRECONDITION: there is none under this limit. Called from two threads
// at once if there is a `call_both`.
using PlanUnderLimit = absl::FunctionRef<absl::StatusOr<Plan>(
    int64_t limit_bytes, absl::Duration think_time)>;

// Returns the estimate for a valid graph. Errors are those of plans, but for
// limits that are too small. FAILED_PRECONDITION: there is no limit, up to the
// fast tier's capacity, under which the job runs.
absl::StatusOr<JobEstimate> EstimateJob(const Graph& graph,
                                        const MemorySystem& system,
                                        PlanUnderLimit plan,
                                        const EstimateOptions& options = {});

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_ESTIMATE_ESTIMATE_H_
