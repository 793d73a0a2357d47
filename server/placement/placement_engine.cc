#include "server/placement/placement_engine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "policies/deeptm/dqn_planner.h"
#include "policies/planning/plan_proto.h"
#include "server/graphs/stored_graph.h"
#include "server/placement/verified_plan.h"

namespace stowage {

PlacementEngine::PlacementEngine(GraphStore* store, PolicyFactory policies,
                                 DqnSource* dqn)
    : store_(store), policies_(std::move(policies)), dqn_(dqn) {}

absl::StatusOr<std::unique_ptr<Policy>> PlacementEngine::ChoosePolicy(
    PlanRequest* request) {
  if (dqn_ != nullptr && request->policy == kDeepTmPolicyName) {
    absl::StatusOr<ServingDqn> serving = dqn_->ForRequest(*request);
    if (!serving.ok()) return serving.status();
    request->dqn_digest = std::move(serving->digest);
    return MakeDeepTmPolicy(std::move(serving->policy));
  }
  absl::StatusOr<std::unique_ptr<Policy>> policy = policies_(request->policy);
  if (policy.ok()) return policy;
  return absl::InvalidArgumentError(policy.status().message());
}

absl::StatusOr<MadePlan> PlacementEngine::MakePlan(PlanRequest request) {
  if (request.fast_limit_bytes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fast_limit_bytes is ", request.fast_limit_bytes,
                     "; name the bytes of fast memory the job may use"));
  }
  absl::StatusOr<std::unique_ptr<Policy>> policy = ChoosePolicy(&request);
  if (!policy.ok()) return policy.status();
  const std::string plan_id = PlanId(request);
  bool led = false;
  absl::StatusOr<MadePlan> made = flights_.Do(plan_id, [&] {
    led = true;
    return FindOrMake(plan_id, request, **policy);
  });
  // Who shared another caller's run did not think.
  if (made.ok() && !led) made->planning_time = absl::ZeroDuration();
  return made;
}

absl::StatusOr<MadePlan> PlacementEngine::FindOrMake(const std::string& plan_id,
                                                     const PlanRequest& request,
                                                     const Policy& policy) {
  if (request.replan) return MakeAndStore(plan_id, request, policy);
  absl::StatusOr<v1::Plan> stored = store_->GetPlan(plan_id);
  if (stored.ok()) return MadePlan{plan_id, *std::move(stored)};
  if (!absl::IsNotFound(stored.status())) return stored.status();
  return MakeAndStore(plan_id, request, policy);
}

absl::StatusOr<MadePlan> PlacementEngine::MakeAndStore(
    const std::string& plan_id, const PlanRequest& request,
    const Policy& policy) {
  absl::StatusOr<Graph> graph = LoadGraph(store_, request.graph_id);
  if (!graph.ok()) return graph.status();
  const absl::Time start = absl::Now();
  absl::StatusOr<Plan> plan = MakeVerifiedPlan(
      *graph, request.system, policy,
      {.fast_limit_bytes = request.fast_limit_bytes, .seed = request.seed});
  if (!plan.ok()) return plan.status();
  MadePlan made = {plan_id, PlanToProto(*plan), absl::Now() - start};
  made.plan.set_tier_count(static_cast<int32_t>(request.system.tiers.size()));
  if (absl::Status stored = store_->PutPlan(plan_id, made.plan); !stored.ok()) {
    return stored;
  }
  return made;
}

absl::StatusOr<KernelDecisions> PlacementEngine::Decisions(
    absl::string_view plan_id) {
  absl::StatusOr<v1::Plan> plan = store_->GetPlan(plan_id);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<Graph> graph = LoadGraph(store_, plan->graph_id());
  if (!graph.ok()) return graph.status();
  return KernelDecisions::Create(*graph, *plan);
}

absl::StatusOr<OnlineDecisions> PlacementEngine::Online(
    absl::string_view plan_id) {
  if (dqn_ == nullptr) {
    return absl::FailedPreconditionError("this service has no DQN policies");
  }
  absl::StatusOr<v1::Plan> plan = store_->GetPlan(plan_id);
  if (!plan.ok()) return plan.status();
  const absl::StatusOr<ServingDqn> serving = dqn_->ForPlan(*plan);
  if (!serving.ok()) return serving.status();
  const absl::StatusOr<Graph> graph = LoadGraph(store_, plan->graph_id());
  if (!graph.ok()) return graph.status();
  return OnlineDecisions::Create(*graph, serving->system, *plan,
                                 serving->policy);
}

}  // namespace stowage
