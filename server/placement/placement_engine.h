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
#include "server/placement/recent_decisions.h"
#include "server/placement/shared_decisions.h"
#include "stowage/v1/plan.pb.h"

namespace stowage {

using PolicyFactory =
    std::function<absl::StatusOr<std::unique_ptr<policies::Policy>>(
        std::string_view)>;

// Takes each plan that was made, once, however many callers wait for it.
using OnMade = std::function<void(const PlanRequest&, const MadePlan&)>;

// Thread-safe. Owns neither the store nor the source; both must outlive it.
class PlacementEngine {
 public:
  // Without a source it has no policies that need training.
  explicit PlacementEngine(
      GraphStore* store, PolicyFactory policies = policies::MakePolicy,
      DqnSource* dqn = nullptr, const PlanningLimits& limits = {},
      OnMade on_made = [](auto&&...) {});

  // Returns the plan for a request, at once if it is in the store. Blocks while
  // the plan waits and while the policy thinks, for long if that is in the
  // background of a busy machine. Callers that ask for the same plan at the same
  // time share one run, if it is in the background for all of them or for none.
  // The engine sets the request's `dqn_digest`.
  //
  // NOT_FOUND: no such graph. INVALID_ARGUMENT: the policy is unknown, or the
  // limit is below 1. FAILED_PRECONDITION: the limit is too small for the
  // policy, or no DQN policy serves. INTERNAL: the verifier rejects the plan,
  // which is then not stored. Other errors are those of PlanningQueue::Run()
  // and of the store.
  absl::StatusOr<MadePlan> MakePlan(PlanRequest request,
                                    const PlanCaller& caller = {});

  // The queue of the plans that somebody waits for.
  PlanningQueue& queue() { return queue_; }

  // As those of PlanningQueue, for all plans. Of those that nothing waits for,
  // one is made at a time, whatever the limits say.
  void SetLimits(const PlanningLimits& limits);
  void BeginDrain();
  bool Stop(absl::Duration timeout);
  int CountRunning() const;
  int CountWaiting() const;

  // Returns the stored plan by kernel. All who ask while somebody uses it share
  // it. NOT_FOUND: no such plan.
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> Decisions(
      absl::string_view plan_id);

  // Returns the plan as Decisions() does if DecisionsToKeep() has returned it
  // within the last second, else null. Does not block.
  std::shared_ptr<const KernelDecisions> KeptDecisions(
      absl::string_view plan_id);

  // Returns the plan as Decisions() does, and keeps it for a while.
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> DecisionsToKeep(
      absl::string_view plan_id);

  // Returns what decides for a job whose tensors are not where its plan has
  // them. NOT_FOUND: no such plan. FAILED_PRECONDITION: no DQN policy serves.
  absl::StatusOr<OnlineDecisions> Online(absl::string_view plan_id);

 private:
  absl::StatusOr<std::unique_ptr<policies::Policy>> ChoosePolicy(
      PlanRequest* request);
  // Returns the stored plan. NOT_FOUND: there is none, or the caller wants a
  // new one.
  absl::StatusOr<MadePlan> FindStored(const std::string& plan_id,
                                      const PlanRequest& request);
  absl::StatusOr<MadePlan> MakeAndStore(
      const std::string& plan_id, const PlanRequest& request,
      const policies::Policy& policy,
      const policies::Cancellation& cancellation);

  GraphStore* const store_;
  const PolicyFactory policies_;
  DqnSource* const dqn_;
  const OnMade on_made_;
  SharedGraphs graphs_;
  SharedDecisions decisions_;
  RecentDecisions recent_;
  // Last: their plans use all above.
  PlanningQueue queue_;
  PlanningQueue background_queue_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_PLACEMENT_PLACEMENT_ENGINE_H_
