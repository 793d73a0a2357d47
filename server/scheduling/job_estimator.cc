#include "server/scheduling/job_estimator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "policies/registry.h"
#include "server/graphs/content_hash.h"
#include "server/placement/call_both.h"
#include "server/placement/plan_request.h"
#include "server/placement/planning_memory.h"
#include "server/placement/verified_plan.h"

namespace stowage {
namespace {

// Two plans are made at a time.
constexpr int64_t kPlansAtOnce = 2;

// What determines an estimate. A new profile of the graph gives a new one.
std::string KeyOf(const EstimateRequest& request, const GraphRow& graph) {
  const std::string plan = PlanId({.graph_id = request.graph_id,
                                   .system = request.system,
                                   .policy = request.policy,
                                   .think_time = request.think_time});
  return HashFields({"estimate", plan, absl::StrCat(graph.updated_at_ns),
                     absl::StrCat(request.points),
                     absl::StrJoin(request.speeds, ",")});
}

}  // namespace

JobEstimator::JobEstimator(GraphStore* store, PlanningQueue* queue,
                           PolicyFactory policies)
    : store_(store),
      queue_(queue),
      policies_(std::move(policies)),
      graphs_(store) {}

absl::StatusOr<SharedEstimate> JobEstimator::Estimate(
    const EstimateRequest& request, const PlanCaller& caller) {
  absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      policies_(request.policy);
  if (!policy.ok()) {
    return absl::InvalidArgumentError(policy.status().message());
  }
  const absl::StatusOr<GraphRow> graph = store_->FindGraph(request.graph_id);
  if (!graph.ok()) return graph.status();
  const std::string key = KeyOf(request, *graph);
  if (SharedEstimate known = Find(key); known != nullptr) return known;
  // It may be made after its first caller has gone.
  auto work = [this, key, request,
               policy = std::shared_ptr<const policies::Policy>(*std::move(
                   policy))](const policies::Cancellation& cancellation)
      -> absl::StatusOr<MadePlan> {
    absl::Status made = Make(key, request, *policy, cancellation);
    if (!made.ok()) return made;
    return MadePlan();
  };
  const absl::StatusOr<MadePlan> made = queue_->Run(
      {.key = key,
       .memory_bytes = kPlansAtOnce *
                       EstimatePlanningBytes(graph->size_bytes, request.policy),
       .work = std::move(work)},
      caller);
  if (!made.ok()) return made.status();
  if (SharedEstimate known = Find(key); known != nullptr) return known;
  return absl::UnavailableError("the estimate was forgotten; ask again");
}

absl::Status JobEstimator::Make(const std::string& key,
                                const EstimateRequest& request,
                                const policies::Policy& policy,
                                const policies::Cancellation& cancellation) {
  const absl::StatusOr<std::shared_ptr<const policies::Graph>> graph =
      graphs_.Load(request.graph_id);
  if (!graph.ok()) return graph.status();
  absl::StatusOr<policies::JobEstimate> estimate = policies::EstimateJob(
      **graph, request.system,
      [&](int64_t limit_bytes, absl::Duration think_time) {
        return MakeVerifiedPlan(**graph, request.system, policy,
                                {.fast_limit_bytes = limit_bytes,
                                 .time_limit = think_time,
                                 .cancellation = cancellation});
      },
      {.points = request.points,
       .speeds = request.speeds,
       .budget = request.think_time,
       .call_both = CallBothAtOnce});
  if (!estimate.ok()) return estimate.status();
  Keep(key, *std::move(estimate));
  return absl::OkStatus();
}

SharedEstimate JobEstimator::Find(const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const auto kept = kept_.find(key);
  if (kept == kept_.end()) return nullptr;
  kept->second.used = ++uses_;
  return kept->second.estimate;
}

void JobEstimator::Keep(const std::string& key,
                        policies::JobEstimate estimate) {
  absl::MutexLock lock(&mutex_);
  kept_[key] = {
      std::make_shared<const policies::JobEstimate>(std::move(estimate)),
      ++uses_};
  if (kept_.size() <= kMostKept) return;
  kept_.erase(std::min_element(kept_.begin(), kept_.end(),
                               [](const auto& a, const auto& b) {
                                 return a.second.used < b.second.used;
                               }));
}

}  // namespace stowage
