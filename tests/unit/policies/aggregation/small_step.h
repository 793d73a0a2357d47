// Makes a step of small tensors, and the plan that keeps each where a test
// says.
//
//   SmallStep step(/*kernels=*/6);
//   TensorIndex a = step.Add(256, /*birth=*/0, /*death=*/5);
//   step.Access(0, a, 2);
//   step.Leave(a, /*from=*/2, /*to=*/4);
//   Plan plan = step.MakePlan(system);
#ifndef STOWAGE_TESTS_UNIT_POLICIES_AGGREGATION_SMALL_STEP_H_
#define STOWAGE_TESTS_UNIT_POLICIES_AGGREGATION_SMALL_STEP_H_

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "policies/aggregation/tier_residency.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

class SmallStep {
 public:
  explicit SmallStep(int kernels) {
    graph_.name = "small";
    for (int k = 0; k < kernels; ++k) {
      Kernel kernel{.name = "kernel"};
      kernel.profile.fast_inputs_fast_outputs = {1'000'000,
                                                 DurationSource::kMeasured};
      graph_.kernels.push_back(kernel);
    }
  }

  TensorIndex Add(int64_t bytes, KernelIndex birth, KernelIndex death) {
    graph_.tensors.push_back({.size_bytes = bytes,
                              .kind = TensorKind::kActivation,
                              .birth_kernel = birth,
                              .death_kernel = death});
    return graph_.tensor_count() - 1;
  }

  TensorIndex AddWeight(int64_t bytes) {
    graph_.tensors.push_back(
        {.size_bytes = bytes, .kind = TensorKind::kWeight, .persistent = true});
    return graph_.tensor_count() - 1;
  }

  void Access(KernelIndex kernel, TensorIndex tensor, int32_t count = 1) {
    graph_.kernels[kernel].operands.push_back(
        {.tensor = tensor, .read = true, .access_count = count});
  }

  // Has the tensor out of the fast tier from boundary `from` + 1 to boundary
  // `to`.
  void Leave(TensorIndex tensor, KernelIndex from, KernelIndex to) {
    absences_[tensor] = {from, to};
  }

  const Graph& graph() const { return graph_; }

  Plan MakePlan(const MemorySystem& system,
                int64_t fast_limit_bytes = 1 << 30) const {
    BuildInput input{.fast_limit_bytes = fast_limit_bytes};
    for (const Residency& whole : AllFastResidencies(graph_)) {
      const auto absence = absences_.find(whole.tensor);
      if (absence == absences_.end()) {
        input.residencies.push_back(whole);
        continue;
      }
      Residency before = whole;
      before.leave = absence->second.first;
      before.end = absence->second.first + 1;
      before.moved_out = true;
      Residency after = whole;
      after.begin = absence->second.second - 1;
      after.ready = absence->second.second;
      after.moved_in = true;
      input.residencies.push_back(before);
      input.residencies.push_back(after);
    }
    return *BuildPlan(graph_, system, input);
  }

 private:
  Graph graph_;
  std::map<TensorIndex, std::pair<KernelIndex, KernelIndex>> absences_;
};

// Returns where the plan allocates the tensor, or has it as the step begins.
inline Placement BeginOf(const Plan& plan, TensorIndex tensor) {
  for (const auto* list : {&plan.initial, &plan.allocations}) {
    for (const Allocation& allocation : *list) {
      if (allocation.tensor == tensor) return allocation.at;
    }
  }
  return {-1, -1};
}

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_AGGREGATION_SMALL_STEP_H_
