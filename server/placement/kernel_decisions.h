// A stored plan rolled out kernel by kernel: what the per-kernel stream says.
//
//   absl::StatusOr<KernelDecisions> decisions =
//       KernelDecisions::Create(graph, plan);
//   absl::Status valid = decisions->Check({.kernel = 17});
//   absl::StatusOr<std::vector<v1::KernelDecision>> ahead =
//       decisions->Window(/*kernel=*/17, /*window=*/8);
#ifndef STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_
#define STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "server/placement/job_situation.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

// Immutable after Create; safe to read from several threads.
class KernelDecisions {
 public:
  // DATA_LOSS when the plan names kernels or tensors the graph does not have.
  static absl::StatusOr<KernelDecisions> Create(const Graph& graph,
                                                const v1::Plan& plan);

  // Errors of CheckSituation. Of a plan that does not state how many tiers there
  // are any system's tier will do.
  absl::Status Check(const JobSituation& situation) const;

  // The decisions of kernels `kernel` .. `kernel + window - 1`, cut off at the
  // end of the step; a window of 0 means 1. Kernels at which nothing is to be
  // done are left out. A window that holds the last kernel also holds the
  // boundary that ends the step, as kernel K. INVALID_ARGUMENT when `kernel`
  // is outside the graph or `window` outside 0..1024.
  absl::StatusOr<std::vector<v1::KernelDecision>> Window(int32_t kernel,
                                                         int32_t window) const;

 private:
  KernelDecisions(const Graph& graph, const v1::Plan& plan);

  absl::Status AddAllocations(const Graph& graph, const v1::Plan& plan);
  absl::Status AddMoves(const v1::Plan& plan);

  KernelIndex kernel_count_;
  TierIndex tier_count_;
  std::vector<Tensor> tensors_;                 // without their names
  std::vector<v1::KernelDecision> boundaries_;  // K + 1
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_KERNEL_DECISIONS_H_
