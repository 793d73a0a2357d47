#include "server/placement/placement_engine.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/plan/plan_proto.h"
#include "server/placement/background_thread.h"
#include "server/placement/bound_ratio.h"
#include "server/placement/planning_memory.h"
#include "server/placement/think_time.h"
#include "server/placement/verified_plan.h"
#include "timing/steady_now.h"

namespace stowage {
namespace {

// For plans that calls ask for one kernel at a time.
constexpr int64_t kRecentBytes = int64_t{256} << 20;

// How many times as long as its lower bound a plan itself takes to make.
constexpr int kBoundShare = 50;

PlanningLimits OneAtATime(PlanningLimits limits) {
  limits.threads = 1;
  return limits;
}

}  // namespace

PlacementEngine::PlacementEngine(GraphStore* store, PolicyFactory policies,
                                 DqnSource* dqn, const PlanningLimits& limits,
                                 OnMade on_made)
    : store_(store),
      policies_(std::move(policies)),
      dqn_(dqn),
      on_made_(std::move(on_made)),
      graphs_(store),
      decisions_(store, &graphs_),
      recent_(kRecentBytes),
      queue_(limits),
      background_queue_(OneAtATime(limits)) {}

absl::StatusOr<std::unique_ptr<policies::Policy>> PlacementEngine::ChoosePolicy(
    PlanRequest* request) {
  if (dqn_ != nullptr &&
      policies::CapabilitiesOf(request->policy).needs_training) {
    absl::StatusOr<ServingDqn> serving = dqn_->ForRequest(*request);
    if (!serving.ok()) return serving.status();
    request->dqn_digest = std::move(serving->digest);
    return policies::MakeDeepTmPolicy(std::move(serving->policy));
  }
  absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      policies_(request->policy);
  if (policy.ok()) return policy;
  return absl::InvalidArgumentError(policy.status().message());
}

absl::StatusOr<MadePlan> PlacementEngine::MakePlan(PlanRequest request,
                                                   const PlanCaller& caller) {
  if (request.fast_limit_bytes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fast_limit_bytes is ", request.fast_limit_bytes,
                     "; name the bytes of fast memory the job may use"));
  }
  absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      ChoosePolicy(&request);
  if (!policy.ok()) return policy.status();
  const std::string plan_id = PlanId(request);
  absl::StatusOr<MadePlan> stored = FindStored(plan_id, request);
  if (!absl::IsNotFound(stored.status())) return stored;
  const absl::StatusOr<GraphRow> graph = store_->FindGraph(request.graph_id);
  if (!graph.ok()) return graph.status();
  const int64_t memory_bytes =
      EstimatePlanningBytes(graph->size_bytes, request.policy);
  const bool background = request.background;
  // The plan may be made after its first caller has gone.
  auto work = [this, plan_id, request = std::move(request),
               policy = std::shared_ptr<const policies::Policy>(*std::move(
                   policy))](const policies::Cancellation& cancellation) {
    absl::StatusOr<MadePlan> stored = FindStored(plan_id, request);
    if (!absl::IsNotFound(stored.status())) return stored;
    return MakeAndStore(plan_id, request, *policy, cancellation);
  };
  PlanningQueue& queue = background ? background_queue_ : queue_;
  return queue.Run(
      {.key = plan_id, .memory_bytes = memory_bytes, .work = std::move(work)},
      caller);
}

void PlacementEngine::SetLimits(const PlanningLimits& limits) {
  queue_.SetLimits(limits);
  background_queue_.SetLimits(OneAtATime(limits));
}

void PlacementEngine::BeginDrain() {
  queue_.BeginDrain();
  background_queue_.BeginDrain();
}

bool PlacementEngine::Stop(absl::Duration timeout) {
  const absl::Time end = SteadyNow() + timeout;
  const bool stopped = queue_.Stop(timeout);
  return background_queue_.Stop(end - SteadyNow()) && stopped;
}

int PlacementEngine::CountRunning() const {
  return queue_.CountRunning() + background_queue_.CountRunning();
}

int PlacementEngine::CountWaiting() const {
  return queue_.CountWaiting() + background_queue_.CountWaiting();
}

absl::StatusOr<MadePlan> PlacementEngine::FindStored(
    const std::string& plan_id, const PlanRequest& request) {
  if (request.replan) return absl::NotFoundError("a new plan is wanted");
  absl::StatusOr<v1::Plan> stored = store_->GetPlan(plan_id);
  if (!stored.ok()) return stored.status();
  return MadePlan{plan_id, *std::move(stored)};
}

absl::StatusOr<MadePlan> PlacementEngine::MakeAndStore(
    const std::string& plan_id, const PlanRequest& request,
    const policies::Policy& policy,
    const policies::Cancellation& cancellation) {
  const absl::StatusOr<std::shared_ptr<const policies::Graph>> graph =
      graphs_.Load(request.graph_id);
  if (!graph.ok()) return graph.status();
  const absl::Time start = SteadyNow();
  const auto run = [&](absl::FunctionRef<void()> work) {
    request.background ? RunInBackground(work) : work();
  };
  absl::StatusOr<policies::Plan> plan = absl::UnknownError("not made");
  run([&] {
    plan = MakeVerifiedPlan(**graph, request.system, policy,
                            {.fast_limit_bytes = request.fast_limit_bytes,
                             .seed = request.seed,
                             .time_limit = ThinkTime(request, policy, **graph),
                             .cancellation = cancellation});
  });
  // To a caller RESOURCE_EXHAUSTED would mean to ask again later.
  if (absl::IsResourceExhausted(plan.status())) {
    return absl::FailedPreconditionError(plan.status().message());
  }
  if (!plan.ok()) return plan.status();
  MadePlan made = {plan_id, policies::PlanToProto(*plan), SteadyNow() - start};
  made.plan.set_tier_count(static_cast<int32_t>(request.system.tiers.size()));
  const absl::Status wanted = cancellation.Check();
  if (!wanted.ok()) return wanted;
  if (absl::Status stored = store_->PutPlan(plan_id, made.plan); !stored.ok()) {
    return stored;
  }
  decisions_.Forget(plan_id);
  recent_.Forget(plan_id);
  run([&] {
    made.bound_ratio = BoundRatio(**graph, request.system, *plan,
                                  /*budget=*/made.planning_time / kBoundShare);
  });
  on_made_(request, made);
  return made;
}

absl::StatusOr<std::shared_ptr<const KernelDecisions>>
PlacementEngine::Decisions(absl::string_view plan_id) {
  return decisions_.Load(plan_id);
}

std::shared_ptr<const KernelDecisions> PlacementEngine::KeptDecisions(
    absl::string_view plan_id) {
  return recent_.Find(plan_id, SteadyNow());
}

absl::StatusOr<std::shared_ptr<const KernelDecisions>>
PlacementEngine::DecisionsToKeep(absl::string_view plan_id) {
  absl::StatusOr<std::shared_ptr<const KernelDecisions>> decisions =
      Decisions(plan_id);
  if (decisions.ok()) recent_.Keep(plan_id, *decisions, SteadyNow());
  return decisions;
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
  const absl::StatusOr<std::shared_ptr<const policies::Graph>> graph =
      graphs_.Load(plan->graph_id());
  if (!graph.ok()) return graph.status();
  return OnlineDecisions::Create(**graph, serving->system, *plan,
                                 serving->policy);
}

}  // namespace stowage
