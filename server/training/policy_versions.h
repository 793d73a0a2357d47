// Judges, promotes and finds the versions of DQN policies.
//
//   PolicyVersions versions(&graphs, &trainings);
//   absl::StatusOr<v1::PolicyVersion> version =
//       versions.Publish(policy, system, claim);
//   absl::StatusOr<ServingDqn> serving = versions.ForRequest(plan_request);
#ifndef STOWAGE_SERVER_TRAINING_POLICY_VERSIONS_H_
#define STOWAGE_SERVER_TRAINING_POLICY_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "server/graphs/graph_store.h"
#include "server/placement/dqn_source.h"
#include "server/training/training_store.h"

namespace stowage {

// Returns the hex SHA-256 of what a DQN policy was trained for: graph, memory
// system, limit and cost priority.
std::string PolicyId(const policies::DqnPolicy& policy);

// Thread-safe. Does not own the stores, which must outlive it.
class PolicyVersions final : public DqnSource {
 public:
  PolicyVersions(GraphStore* graphs, TrainingStore* trainings)
      : graphs_(graphs), trainings_(trainings) {}

  // Rolls the policy out on the graph's present profile, verifies and simulates
  // the plan, and stores the policy as a version. Promotes the version if it is
  // better than the one that serves, or if none serves; `verdict` says which.
  // Returns the version that the training has made before if it was interrupted
  // behind that. Blocks while plans are made. Errors are those of the plan, and
  // ABORTED: the claim no longer holds. Nothing is stored then.
  absl::StatusOr<v1::PolicyVersion> Publish(
      const policies::DqnPolicy& policy, const policies::MemorySystem& system,
      const TrainingClaim& claim);

  // Lets the version serve. NOT_FOUND: no such version. FAILED_PRECONDITION:
  // its plan cannot be made or does not verify; the serving version then goes
  // on serving.
  absl::StatusOr<v1::PolicyVersion> Promote(const VersionKey& key);

  // Rolls back as TrainingStore::RollBack() does. Returns the version that
  // serves now.
  absl::StatusOr<v1::PolicyVersion> RollBack(const VersionKey& from);

  // Returns the version that serves the request. If the graph fits the limit,
  // no version is needed, because the plan has no moves. Of several cost
  // priorities the version that was promoted last serves.
  absl::StatusOr<ServingDqn> ForRequest(const PlanRequest& request) override;
  absl::StatusOr<ServingDqn> ForPlan(const v1::Plan& plan) override;

 private:
  // The plan of the version that serves; nullopt if none serves, or if it can
  // no longer plan.
  struct Incumbent {
    int64_t version = 0;
    policies::Plan plan;
  };
  // Returns the first version of the graph that serves and is `wanted`.
  // NOT_FOUND says which limits there are.
  absl::StatusOr<ServingDqn> FindServing(
      const std::string& graph_id,
      absl::FunctionRef<bool(const DqnVersion&)> wanted);
  std::optional<Incumbent> FindIncumbent(const DqnVersion& serving,
                                         const policies::Graph& graph,
                                         const policies::MemorySystem& system);
  // Judges the version by what serves now and adds it. ABORTED as
  // TrainingStore::AddVersion().
  absl::StatusOr<v1::PolicyVersion> JudgeAndAdd(
      const TrainingClaim& claim, DqnVersion version,
      const policies::DqnPolicy& policy, const policies::Plan& plan,
      const policies::Graph& graph, const policies::MemorySystem& system);

  GraphStore* const graphs_;
  TrainingStore* const trainings_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_TRAINING_POLICY_VERSIONS_H_
