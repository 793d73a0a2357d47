#include "server/training/policy_versions.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/model/memory_system_proto.h"
#include "policies/planning/plan_policy.h"
#include "policies/registry.h"
#include "server/fleet/timestamp.h"
#include "server/graphs/content_hash.h"
#include "server/graphs/stored_graph.h"
#include "server/placement/verified_plan.h"
#include "server/training/candidate.h"

namespace stowage {
namespace {

// How often a version is judged if others are promoted meanwhile.
constexpr int kJudgements = 5;

std::string Milliseconds(const policies::Plan& plan) {
  return absl::StrFormat(
      "%.3f ms", static_cast<double>(plan.prediction.step_time_ns) * 1e-6);
}

absl::StatusOr<policies::Plan> PlanOf(const policies::DqnPolicy& policy,
                                      const policies::Graph& graph,
                                      const policies::MemorySystem& system) {
  return MakeVerifiedPlan(graph, system, *policies::MakeDeepTmPolicy(policy),
                          {.fast_limit_bytes = policy.fast_limit_bytes});
}

// Returns the step time of the default policy's plan; 0 if it has none.
int64_t DefaultStepTimeNs(const policies::Graph& graph,
                          const policies::MemorySystem& system,
                          int64_t fast_limit_bytes) {
  const absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
      policies::MakePolicy(policies::kDefaultPolicy);
  if (!policy.ok()) return 0;
  const absl::StatusOr<policies::Plan> plan = MakeVerifiedPlan(
      graph, system, **policy, {.fast_limit_bytes = fast_limit_bytes});
  return plan.ok() ? plan->prediction.step_time_ns : 0;
}

v1::PolicyVersion InfoOf(const policies::DqnPolicy& policy,
                         const policies::Plan& plan, int64_t training_id) {
  v1::PolicyVersion info;
  info.set_policy_id(PolicyId(policy));
  info.set_graph_id(policy.graph_id);
  info.set_system(policy.system);
  info.set_fast_limit_bytes(policy.fast_limit_bytes);
  info.set_cost_priority(policy.settings.cost_priority);
  info.set_episodes(policy.episodes_done);
  info.set_training_id(training_id);
  info.set_predicted_step_time_ns(plan.prediction.step_time_ns);
  *info.mutable_created_at() = TimestampFromTime(absl::Now());
  return info;
}

// Says what became of a version with this plan. `incumbent` is the plan of the
// version that served; null: none did.
std::string Verdict(bool better, const policies::Plan& plan,
                    const policies::Plan* incumbent, int64_t version) {
  return absl::StrCat(
      better ? "promoted: " : "kept, not promoted: ", Milliseconds(plan),
      " a step, ",
      incumbent == nullptr
          ? "and no version served"
          : absl::StrCat(better ? "better than " : "no better than ",
                         Milliseconds(*incumbent), " of version ", version,
                         ", which served"));
}

// Returns the error that no policy serves. `others` says what serves instead.
absl::Status NoneServes(absl::string_view graph_id, absl::string_view system,
                        int64_t fast_limit_bytes, const absl::Status& others) {
  return absl::FailedPreconditionError(absl::StrCat(
      "no DQN policy serves for graph '", graph_id, "' on memory system '",
      system, "' with ", fast_limit_bytes, " bytes of fast memory",
      others.message(),
      "; train one with `stowage train GRAPH --service ADDRESS --system ",
      system, " --fast-bytes ", fast_limit_bytes,
      "` or StartTraining, and use another policy meanwhile"));
}

absl::Status CannotServe(const absl::Status& cause) {
  return absl::FailedPreconditionError(
      absl::StrCat("the version cannot serve: ", cause.message(),
                   "; the serving version goes on serving"));
}

}  // namespace

std::string PolicyId(const policies::DqnPolicy& policy) {
  return HashFields({policy.graph_id, policy.system_digest,
                     absl::StrCat(policy.fast_limit_bytes),
                     absl::StrCat(policy.settings.cost_priority)});
}

std::optional<PolicyVersions::Incumbent> PolicyVersions::FindIncumbent(
    const DqnVersion& serving, const policies::Graph& graph,
    const policies::MemorySystem& system) {
  const absl::StatusOr<policies::DqnPolicy> policy =
      policies::DecodeDqnPolicy(serving.policy);
  if (!policy.ok()) return std::nullopt;
  absl::StatusOr<policies::Plan> plan = PlanOf(*policy, graph, system);
  if (!plan.ok()) return std::nullopt;
  return Incumbent{serving.info.version(), *std::move(plan)};
}

absl::StatusOr<v1::PolicyVersion> PolicyVersions::JudgeAndAdd(
    const TrainingClaim& claim, DqnVersion version,
    const policies::DqnPolicy& policy, const policies::Plan& plan,
    const policies::Graph& graph, const policies::MemorySystem& system) {
  const absl::StatusOr<DqnVersion> serving =
      trainings_->GetVersion({version.info.policy_id(), 0});
  if (!serving.ok() && !absl::IsNotFound(serving.status())) {
    return serving.status();
  }
  const std::optional<Incumbent> incumbent =
      serving.ok() ? FindIncumbent(*serving, graph, system) : std::nullopt;
  const bool better =
      !incumbent.has_value() ||
      RelativeCost(graph, policy.settings,
                   policies::FindUnitPrices(policy.settings, system),
                   plan.prediction, incumbent->plan.prediction) < 1;
  version.info.set_verdict(
      Verdict(better, plan, incumbent.has_value() ? &incumbent->plan : nullptr,
              incumbent.has_value() ? incumbent->version : 0));
  return trainings_->AddVersion(claim, std::move(version),
                                serving.ok() ? serving->info.version() : 0,
                                /*promote=*/better);
}

absl::StatusOr<v1::PolicyVersion> PolicyVersions::Publish(
    const policies::DqnPolicy& policy, const policies::MemorySystem& system,
    const TrainingClaim& claim) {
  absl::StatusOr<std::optional<v1::PolicyVersion>> made =
      trainings_->FindVersionOf(claim.training_id);
  if (!made.ok()) return made.status();
  if (made->has_value()) return **std::move(made);
  const absl::StatusOr<policies::Graph> graph =
      LoadGraph(graphs_, policy.graph_id);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<policies::Plan> plan = PlanOf(policy, *graph, system);
  if (!plan.ok()) return plan.status();
  v1::PolicyVersion info = InfoOf(policy, *plan, claim.training_id);
  info.set_default_step_time_ns(
      DefaultStepTimeNs(*graph, system, policy.fast_limit_bytes));
  const DqnVersion version = {.info = std::move(info),
                              .system = policies::MemorySystemToProto(system),
                              .system_digest = policy.system_digest,
                              .policy = policies::EncodeDqnPolicy(policy)};
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<v1::PolicyVersion> added =
        JudgeAndAdd(claim, version, policy, *plan, *graph, system);
    // Another version may have been promoted while this one was judged.
    if (!absl::IsAborted(added.status()) || attempt == kJudgements) {
      return added;
    }
  }
}

absl::StatusOr<v1::PolicyVersion> PolicyVersions::Promote(
    const VersionKey& key) {
  absl::StatusOr<DqnVersion> version = trainings_->GetVersion(key);
  if (!version.ok()) return version.status();
  const absl::StatusOr<policies::DqnPolicy> policy =
      policies::DecodeDqnPolicy(version->policy);
  if (!policy.ok()) return CannotServe(policy.status());
  const absl::StatusOr<policies::MemorySystem> system =
      policies::MemorySystemFromProto(version->system);
  if (!system.ok()) return CannotServe(system.status());
  const absl::StatusOr<policies::Graph> graph =
      LoadGraph(graphs_, policy->graph_id);
  if (!graph.ok()) return graph.status();
  const absl::StatusOr<policies::Plan> plan = PlanOf(*policy, *graph, *system);
  if (!plan.ok()) return CannotServe(plan.status());
  absl::Status promoted =
      trainings_->Promote({key.policy_id, version->info.version()});
  if (!promoted.ok()) return promoted;
  version->info.set_serving(true);
  return std::move(version->info);
}

absl::StatusOr<v1::PolicyVersion> PolicyVersions::RollBack(
    const VersionKey& from) {
  if (absl::Status back = trainings_->RollBack(from); !back.ok()) return back;
  absl::StatusOr<DqnVersion> serving =
      trainings_->GetVersion({from.policy_id, 0});
  if (!serving.ok()) return serving.status();
  return std::move(serving->info);
}

absl::StatusOr<ServingDqn> PolicyVersions::FindServing(
    const std::string& graph_id,
    absl::FunctionRef<bool(const DqnVersion&)> wanted) {
  absl::StatusOr<std::vector<DqnVersion>> serving =
      trainings_->ListServing(graph_id);
  if (!serving.ok()) return serving.status();
  std::vector<std::string> others;
  for (DqnVersion& version : *serving) {
    if (!wanted(version)) {
      others.push_back(absl::StrCat(version.info.system(), " with ",
                                    version.info.fast_limit_bytes(), " bytes"));
      continue;
    }
    absl::StatusOr<policies::DqnPolicy> policy =
        policies::DecodeDqnPolicy(version.policy);
    if (!policy.ok()) return policy.status();
    absl::StatusOr<policies::MemorySystem> system =
        policies::MemorySystemFromProto(version.system);
    if (!system.ok()) return system.status();
    return ServingDqn{*std::move(policy), *std::move(system),
                      HashFields({version.policy})};
  }
  return absl::NotFoundError(
      others.empty() ? ""
                     : absl::StrCat(" (one serves for ",
                                    absl::StrJoin(others, ", "), ")"));
}

absl::StatusOr<ServingDqn> PolicyVersions::ForRequest(
    const PlanRequest& request) {
  const std::string digest = policies::MemorySystemDigest(request.system);
  absl::StatusOr<ServingDqn> serving =
      FindServing(request.graph_id, [&](const DqnVersion& version) {
        return version.system_digest == digest &&
               version.info.fast_limit_bytes() == request.fast_limit_bytes;
      });
  if (!absl::IsNotFound(serving.status())) return serving;
  const absl::StatusOr<policies::Graph> graph =
      LoadGraph(graphs_, request.graph_id);
  if (!graph.ok()) return graph.status();
  const policies::PlanOptions options = {.fast_limit_bytes =
                                             request.fast_limit_bytes};
  if (policies::PlanWithoutMoves(*graph, request.system, options,
                                 policies::kDeepTmPolicyName)
          .has_value()) {
    return ServingDqn{{.graph_id = request.graph_id,
                       .system = request.system.name,
                       .system_digest = digest,
                       .fast_limit_bytes = request.fast_limit_bytes,
                       .fits = true},
                      request.system,
                      ""};
  }
  return NoneServes(request.graph_id, request.system.name,
                    request.fast_limit_bytes, serving.status());
}

absl::StatusOr<ServingDqn> PolicyVersions::ForPlan(const v1::Plan& plan) {
  absl::StatusOr<ServingDqn> serving =
      FindServing(plan.graph_id(), [&](const DqnVersion& version) {
        return version.info.system() == plan.system() &&
               version.info.fast_limit_bytes() == plan.fast_limit_bytes();
      });
  if (!absl::IsNotFound(serving.status())) return serving;
  return NoneServes(plan.graph_id(), plan.system(), plan.fast_limit_bytes(),
                    serving.status());
}

}  // namespace stowage
