#include "policies/deeptm/dqn/dqn_planner.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/deeptm/dqn/dqn_actor.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/rollout.h"
#include "policies/model/byte_size.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/window_planner.h"
#include "policies/planning/workload.h"

namespace stowage::policies {
namespace {

class DeepTmPolicy : public Policy {
 public:
  explicit DeepTmPolicy(DqnPolicy policy) : policy_(std::move(policy)) {}

  std::string_view name() const override { return kDeepTmPolicyName; }

  std::string_view description() const override {
    return "a DQN trained for the graph says where each living tensor is at "
           "each kernel short of fast memory (DeepTM)";
  }

  PolicyCapabilities capabilities() const override {
    return {.needs_training = true, .answers_online = true};
  }

  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override {
    return PlanWithDqn(policy_, graph, system, options);
  }

 private:
  const DqnPolicy policy_;
};

absl::Status NothingLearnt(const DqnPolicy& policy) {
  return absl::FailedPreconditionError(absl::StrCat(
      "the DQN policy was trained with ",
      DescribeBytes(policy.fast_limit_bytes),
      " of fast memory, where the graph fits and there was nothing to learn; "
      "train one for this limit"));
}

}  // namespace

absl::StatusOr<Plan> PlanWithDqn(const DqnPolicy& policy, const Graph& graph,
                                 const MemorySystem& system,
                                 const PlanOptions& options) {
  absl::Status status = CheckDqnPolicy(policy);
  if (status.ok()) status = CheckTrainedFor(policy, graph, system);
  if (!status.ok()) return status;
  if (policy.fits) {
    auto fits = PlanWithoutMoves(graph, system, options, kDeepTmPolicyName);
    const absl::Status wanted = options.cancellation.Check();
    if (!wanted.ok()) return wanted;
    if (!fits.has_value()) return NothingLearnt(policy);
    return *std::move(fits);
  }
  const QNetwork network(ShapeOf(policy.settings),
                         UnpackWeights(policy.weights));
  const std::optional<Graph> with_windows =
      WithStreamWindows(graph, system, EffectiveLimit(system, options));
  absl::StatusOr<Plan> plan =
      PlanByActing(with_windows.value_or(graph), system, options,
                   kDeepTmPolicyName, policy.settings.migration, HeatSettings(),
                   [&](const Environment&, int64_t) {
                     return std::make_unique<DqnActor>(network);
                   });
  if (plan.ok() && with_windows.has_value()) {
    plan = TakeStreamWindows(graph, *with_windows, *std::move(plan));
  }
  if (plan.ok() && plan->fast_limit_bytes != policy.fast_limit_bytes) {
    plan->notes.push_back(
        absl::StrCat("The DQN policy was trained with ",
                     DescribeBytes(policy.fast_limit_bytes),
                     " of fast memory, not with this limit."));
  }
  return plan;
}

std::unique_ptr<Policy> MakeDeepTmPolicy(DqnPolicy policy) {
  return std::make_unique<DeepTmPolicy>(std::move(policy));
}

}  // namespace stowage::policies
