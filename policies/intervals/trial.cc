#include "policies/intervals/trial.h"

#include <utility>

#include "absl/base/internal/raw_logging.h"
#include "policies/planning/plan_builder.h"
#include "policies/simulate/simulator.h"

namespace stowage::policies {

TrialResult TryIntervals(const Graph& graph, const MemorySystem& system,
                         const Workload& workload, const Layers& layers,
                         const IntervalChoice& choice,
                         const std::vector<int64_t>& kernel_ns) {
  if (workload.cancellation.IsCancelled()) return {};
  IntervalOutcome outcome =
      IntervalPlanner(graph, system, workload, layers, choice.length,
                      choice.rules, kernel_ns, workload.arena_bytes)
          .Plan();
  if (workload.cancellation.IsCancelled()) return {};
  const BuildInput input{.residencies = std::move(outcome.residencies),
                         .streams = workload.streams,
                         .fast_limit_bytes = workload.fast_limit_bytes};
  const absl::StatusOr<Simulation> simulation =
      Simulate(graph, system, SketchPlan(graph, system, input));
  ABSL_RAW_CHECK(simulation.ok(), "a sketch refers to what is not there");
  TrialResult result{.step_time_ns = simulation->prediction.step_time_ns,
                     .locality = simulation->prediction.locality,
                     .late = std::move(outcome.late),
                     .crowded = outcome.crowded,
                     .homeless = outcome.homeless};
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const KernelTrace& trace = simulation->kernels[k];
    result.kernel_ns.push_back(graph.kernels[k].gap_ns + trace.end_ns -
                               trace.start_ns);
  }
  return result;
}

}  // namespace stowage::policies
