// Makes, verifies and stores plans.
//
//   PlacementEngine engine(store.get());
//   absl::StatusOr<MadePlan> made = engine.MakePlan(request);
//   absl::StatusOr<std::shared_ptr<const KernelDecisions>> decisions =
//       engine.Decisions(made->plan_id);
#ifndef STOWAGE_SERVER_PLACEMENT_PLACEMENT_ENGINE_H_
#define STOWAGE_SERVER_PLACEMENT_PLACEMENT_ENGINE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "policies/plan/policy.h"
#include "policies/registry.h"
#include "server/graphs/graph_store.h"
#include "server/graphs/shared_graphs.h"
#include "server/placement/dqn_source.h"
#include "server/placement/kernel_decisions.h"
#include "server/placement/made_plan.h"
#include "server/placement/online_decisions.h"
#include "server/placement/plan_request.h"
#include "server/placement/planning_queue.h"
#include "server/placement/shared_decisions.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

using PolicyFactory =
    std::function<absl::StatusOr<std::unique_ptr<policies::Policy>>(
        std::string_view)>;

// Thread-safe. Does not own the store and the source, which must outlive it.
class PlacementEngine {
 public:
  // Without a source there is no policy that needs training.
  explicit PlacementEngine(GraphStore* store,
                           PolicyFactory policies = policies::MakePolicy,
                           DqnSource* dqn = nullptr,
                           const PlanningLimits& limits = {});

  // Blocks while the plan waits and while the policy thinks. The same request
  // returns the stored plan at once; callers that ask for the same plan at the
  // same time share one run.
  // NOT_FOUND: no such graph. INVALID_ARGUMENT: unknown policy or a limit
  // below 1. FAILED_PRECONDITION: the limit is too small, as the policy says,
  // or no DQN policy serves. `dqn_digest` of the request is the engine's to
  // set.
  // INTERNAL: the verifier rejects the policy's plan; nothing is stored.
  // Errors of PlanningQueue::Run, and of the store as in graph_store.h.
  absl::StatusOr<MadePlan> MakePlan(PlanRequest request,
                                    const PlanCaller& caller = {});

  PlanningQueue& queue() { return queue_; }

  // The stored plan by kernel. NOT_FOUND: no such plan.
  // Shared by all who ask while anybody uses it.
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> Decisions(
      absl::string_view plan_id);

  // What decides where a job is not as its plan has it. NOT_FOUND: no such
  // plan. FAILED_PRECONDITION: no DQN policy serves.
  absl::StatusOr<OnlineDecisions> Online(absl::string_view plan_id);

 private:
  absl::StatusOr<std::unique_ptr<policies::Policy>> ChoosePolicy(
      PlanRequest* request);
  // NOT_FOUND also where a stored plan is not wanted.
  absl::StatusOr<MadePlan> FindStored(const std::string& plan_id,
                                      const PlanRequest& request);
  absl::StatusOr<MadePlan> MakeAndStore(
      const std::string& plan_id, const PlanRequest& request,
      const policies::Policy& policy,
      const policies::Cancellation& cancellation);

  GraphStore* const store_;
  const PolicyFactory policies_;
  DqnSource* const dqn_;
  SharedGraphs graphs_;
  SharedDecisions decisions_;
  PlanningQueue queue_;  // last: its plans use all above
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLACEMENT_ENGINE_H_
