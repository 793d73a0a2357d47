#include "server/placement/placement_engine.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "policies/model/graph_proto.h"
#include "policies/planning/plan_proto.h"
#include "policies/planning/simulator.h"
#include "policies/planning/verifier.h"

namespace stowage {
namespace {

absl::Status Internal(absl::string_view policy, const absl::Status& cause) {
  return absl::InternalError(absl::StrCat(
      "policy '", policy, "' made a plan that cannot be executed: ",
      cause.message(), "; nothing was stored, report this"));
}

// Verified, and with the simulator's prediction.
absl::StatusOr<Plan> MakeVerifiedPlan(const Graph& graph,
                                      const PlanRequest& request,
                                      const Policy& policy) {
  const PlanOptions options = {.fast_limit_bytes = request.fast_limit_bytes,
                               .seed = request.seed};
  absl::StatusOr<Plan> plan = policy.MakePlan(graph, request.system, options);
  if (!plan.ok()) return plan.status();
  absl::Status verdict = VerifyPlan(graph, request.system, *plan);
  if (!verdict.ok()) return Internal(request.policy, verdict);
  absl::StatusOr<Simulation> simulation =
      Simulate(graph, request.system, *plan);
  if (!simulation.ok()) return Internal(request.policy, simulation.status());
  plan->prediction = simulation->prediction;
  return plan;
}

}  // namespace

PlacementEngine::PlacementEngine(GraphStore* store, PolicyFactory policies)
    : store_(store), policies_(std::move(policies)) {}

absl::StatusOr<MadePlan> PlacementEngine::MakePlan(const PlanRequest& request) {
  if (request.fast_limit_bytes < 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("fast_limit_bytes is ", request.fast_limit_bytes,
                     "; name the bytes of fast memory the job may use"));
  }
  absl::StatusOr<std::unique_ptr<Policy>> policy = policies_(request.policy);
  if (!policy.ok()) {
    return absl::InvalidArgumentError(policy.status().message());
  }
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
  absl::StatusOr<v1::Plan> stored = store_->GetPlan(plan_id);
  if (stored.ok()) return MadePlan{plan_id, *std::move(stored)};
  if (!absl::IsNotFound(stored.status())) return stored.status();
  return MakeAndStore(plan_id, request, policy);
}

absl::StatusOr<MadePlan> PlacementEngine::MakeAndStore(
    const std::string& plan_id, const PlanRequest& request,
    const Policy& policy) {
  absl::StatusOr<Graph> graph = LoadGraph(request.graph_id);
  if (!graph.ok()) return graph.status();
  const absl::Time start = absl::Now();
  absl::StatusOr<Plan> plan = MakeVerifiedPlan(*graph, request, policy);
  if (!plan.ok()) return plan.status();
  MadePlan made = {plan_id, PlanToProto(*plan), absl::Now() - start};
  if (absl::Status stored = store_->PutPlan(plan_id, made.plan); !stored.ok()) {
    return stored;
  }
  return made;
}

absl::StatusOr<Graph> PlacementEngine::LoadGraph(absl::string_view graph_id) {
  absl::StatusOr<v1::Graph> proto = store_->GetGraph(graph_id);
  if (!proto.ok()) return proto.status();
  absl::StatusOr<Graph> graph = GraphFromProto(*proto);
  if (graph.ok()) return graph;
  // Only valid graphs are stored.
  return absl::DataLossError(absl::StrCat(
      "the stored graph '", graph_id,
      "' is damaged: ", graph.status().message(), "; register it again"));
}

absl::StatusOr<KernelDecisions> PlacementEngine::Decisions(
    absl::string_view plan_id) {
  absl::StatusOr<v1::Plan> plan = store_->GetPlan(plan_id);
  if (!plan.ok()) return plan.status();
  absl::StatusOr<Graph> graph = LoadGraph(plan->graph_id());
  if (!graph.ok()) return graph.status();
  return KernelDecisions::Create(*graph, *plan);
}

}  // namespace stowage
