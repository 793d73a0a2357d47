#include "tests/bench/aggregation/small_tensor_plan.h"

#include <algorithm>
#include <vector>

#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {
namespace {

// The number of idle kernels that are worth two moves.
constexpr KernelIndex kLeastIdle = 8;

struct Absence {
  KernelIndex leave = 0;  // boundary after the use before it
  KernelIndex back = 0;   // boundary of the next use
};

Absence LongestAbsence(const Tensor& tensor,
                       absl::Span<const KernelIndex> uses) {
  Absence longest;
  KernelIndex last = tensor.persistent ? 0 : tensor.birth_kernel;
  for (const KernelIndex use : uses) {
    if (use - last > longest.back - longest.leave) longest = {last + 1, use};
    last = use;
  }
  return longest;
}

}  // namespace

absl::StatusOr<Plan> PlanSmallTensors(const Graph& graph,
                                      const MemorySystem& system,
                                      int64_t below_bytes) {
  const Groups uses = UsesByTensor(graph);
  BuildInput input{.fast_limit_bytes = RoundUpToPlacement(
                       ComputeLiveness(graph).peak_bytes / 2 * 3)};
  for (const Residency& whole : AllFastResidencies(graph)) {
    const Tensor& tensor = graph.tensors[whole.tensor];
    const Absence absence = LongestAbsence(tensor, uses[whole.tensor]);
    if (!tensor.movable() || tensor.wraps() ||
        tensor.size_bytes >= below_bytes ||
        absence.back - absence.leave < kLeastIdle) {
      input.residencies.push_back(whole);
      continue;
    }
    Residency before = whole;
    before.leave = before.end = absence.leave;
    before.moved_out = true;
    Residency after = whole;
    after.begin = after.ready = absence.back;
    after.moved_in = true;
    input.residencies.push_back(before);
    input.residencies.push_back(after);
  }
  return BuildPlan(graph, system, input);
}

}  // namespace stowage::policies
