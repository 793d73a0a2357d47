// Makes a plan, verifies it and simulates it.
//
//   absl::StatusOr<Evaluation> evaluation =
//       MakeEvaluation(graph, system, "belady", {.fast_limit_bytes = limit});
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_EVALUATION_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_EVALUATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"
#include "policies/plan/policy.h"
#include "policies/simulate/simulator.h"

namespace stowage::cli {

struct Evaluation {
  policies::Plan plan;  // with its prediction
  policies::Simulation simulation;
  absl::Duration planning_time;
};

// Returns the plan of a policy, verified and simulated. FAILED_PRECONDITION:
// the limit is too small; the message says the least one. INTERNAL: the
// verifier rejects the plan.
absl::StatusOr<Evaluation> MakeEvaluation(const policies::Graph& graph,
                                          const policies::MemorySystem& system,
                                          const policies::Policy& policy,
                                          const policies::PlanOptions& options);

// Does the same for a policy of the registry.
absl::StatusOr<Evaluation> MakeEvaluation(const policies::Graph& graph,
                                          const policies::MemorySystem& system,
                                          const std::string& policy,
                                          const policies::PlanOptions& options);

// Returns the step with everything in a fast tier without a limit.
absl::StatusOr<Evaluation> MakeAllFastEvaluation(
    const policies::Graph& graph, const policies::MemorySystem& system);

// Returns the duration of that step.
absl::StatusOr<int64_t> AllFastStepNs(const policies::Graph& graph,
                                      const policies::MemorySystem& system);

// Returns the all-fast step time over this one: 1 is as fast as can be.
double RelativePerformance(const Evaluation& evaluation, int64_t all_fast_ns);

// Returns the prediction and the head of the plan, with the relative
// performance.
nlohmann::json EvaluationToJson(const Evaluation& evaluation,
                                int64_t all_fast_ns);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_EVALUATION_H_
