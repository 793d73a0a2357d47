#include "server/placement/verified_plan.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/simulate/simulator.h"
#include "policies/verify/verifier.h"
#include "server/placement/call_both.h"

namespace stowage {
namespace {

absl::Status Internal(const policies::Policy& policy,
                      const absl::Status& cause) {
  return absl::InternalError(
      absl::StrCat("policy '", std::string(policy.name()),
                   "' made a plan that cannot be executed: ", cause.message(),
                   "; nothing was stored, report this"));
}

}  // namespace

absl::StatusOr<policies::Plan> MakeVerifiedPlan(
    const policies::Graph& graph, const policies::MemorySystem& system,
    const policies::Policy& policy, const policies::PlanOptions& options) {
  policies::PlanOptions with_threads = options;
  with_threads.call_both = CallBothAtOnce;
  absl::StatusOr<policies::Plan> plan =
      policy.MakePlan(graph, system, with_threads);
  if (!plan.ok()) return plan.status();
  const policies::Cancellation& cancellation = options.cancellation;
  const absl::Status verdict =
      policies::VerifyPlan(graph, system, *plan, cancellation);
  if (absl::IsCancelled(verdict)) return verdict;
  if (!verdict.ok()) return Internal(policy, verdict);
  const absl::StatusOr<policies::Simulation> simulation =
      policies::Simulate(graph, system, *plan, cancellation);
  if (absl::IsCancelled(simulation.status())) return simulation.status();
  if (!simulation.ok()) return Internal(policy, simulation.status());
  plan->prediction = simulation->prediction;
  return plan;
}

}  // namespace stowage
