// Asks a DQN policy kernel by kernel when a job's tensors are not where its
// plan has them.
//
//   absl::StatusOr<OnlineDecisions> online =
//       OnlineDecisions::Create(graph, system, plan, policy);
//   absl::StatusOr<bool> deviates = online->Deviates(situation);
//   absl::StatusOr<std::vector<v1::KernelDecision>> ahead =
//       online->Window(situation, /*window=*/8);
#ifndef STOWAGE_SERVER_PLACEMENT_ONLINE_DECISIONS_H_
#define STOWAGE_SERVER_PLACEMENT_ONLINE_DECISIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_decider.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "server/placement/job_situation.h"
#include "stowage/v1/placement.pb.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

// Immutable after Create; safe to read from several threads.
class OnlineDecisions {
 public:
  // Makes the object. `plan` must belong to `graph`. Errors are those of
  // DqnDecider::Make().
  static absl::StatusOr<OnlineDecisions> Create(
      const policies::Graph& graph, const policies::MemorySystem& system,
      const v1::Plan& plan, const policies::DqnPolicy& policy);

  // Returns whether a resident is in another tier than the plan says. One that
  // the plan is moving may be in either of two. Errors are those of
  // CheckSituation().
  absl::StatusOr<bool> Deviates(const JobSituation& situation) const;

  // Returns the decisions for kernels `kernel` .. `kernel + window - 1`, up to
  // the end of the step. Each follows from those before, as if they were
  // carried out. Leaves out kernels at which nothing goes elsewhere. `window`
  // is at least 1. Computes free bytes from the residents if the situation does
  // not state them. Errors are those of Deviates().
  absl::StatusOr<std::vector<v1::KernelDecision>> Window(
      const JobSituation& situation, int32_t window) const;

 private:
  // The tier of a tensor from a boundary on.
  struct Arrival {
    policies::KernelIndex from = 0;
    // The move may be under way from here on.
    policies::KernelIndex move_start = 0;
    policies::TierIndex tier = policies::kFastTier;
  };

  OnlineDecisions(const policies::Graph& graph, policies::TierIndex tier_count,
                  int64_t fast_limit_bytes, policies::DqnDecider decider);

  void FollowPlan(const v1::Plan& plan);
  absl::Status Check(const JobSituation& situation) const;
  bool IsPlanned(policies::TensorIndex tensor, policies::KernelIndex kernel,
                 policies::TierIndex tier) const;
  policies::TierIndex PlannedTier(policies::TensorIndex tensor,
                                  policies::KernelIndex kernel) const;

  policies::Graph graph_;
  policies::TierIndex tier_count_;
  int64_t fast_limit_bytes_;
  policies::DqnDecider decider_;
  std::vector<std::vector<Arrival>> arrivals_;  // by tensor, ascending
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_ONLINE_DECISIONS_H_
