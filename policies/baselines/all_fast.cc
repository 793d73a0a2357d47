#include "policies/baselines/all_fast.h"

#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/byte_size.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

std::string_view AllFastPolicy::name() const { return "all-fast"; }

std::string_view AllFastPolicy::description() const {
  return "everything in the fast tier; fails when it does not fit";
}

absl::StatusOr<Plan> AllFastPolicy::MakePlan(const Graph& graph,
                                             const MemorySystem& system,
                                             const PlanOptions& options) const {
  std::optional<Plan> plan = PlanWithoutMoves(graph, system, options, name());
  if (plan.has_value()) return *std::move(plan);
  const absl::Status wanted = options.cancellation.Check();
  if (!wanted.ok()) return wanted;
  const Liveness liveness = ComputeLiveness(graph);
  return absl::FailedPreconditionError(absl::StrCat(
      DescribeFastLimit(system, EffectiveLimit(system, options)),
      " does not hold everything; at kernel ", liveness.peak_kernel, " (",
      graph.kernels[liveness.peak_kernel].name, ") ",
      DescribeBytes(liveness.peak_bytes),
      " are alive; the least limit that works is ",
      DescribeBytes(AllFastBytes(graph))));
}

}  // namespace stowage::policies
