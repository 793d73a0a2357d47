// Answers how much fast memory a job needs, from its graph.
//
//   absl::StatusOr<Advice> advice =
//       MakeAdvice(graph, system, {.policy = "annealed-search"});
//   std::cout << AdviceToText(*advice);   // advice_output.h
#ifndef STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_H_
#define STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "policies/estimate/estimate.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::cli {

struct AdviceSettings {
  std::string policy;
  int points = policies::EstimateOptions().points;
  std::vector<double> speeds = policies::EstimateOptions().speeds;
  absl::Duration time = absl::Seconds(5);  // for all plans, about
};

struct Advice {
  std::string graph;  // names
  std::string system;
  policies::JobEstimate estimate;
};

// Returns the estimate of a valid graph. Blocks for about `settings.time`.
// INVALID_ARGUMENT: no such policy. FAILED_PRECONDITION: no limit has a plan.
absl::StatusOr<Advice> MakeAdvice(const policies::Graph& graph,
                                  const policies::MemorySystem& system,
                                  const AdviceSettings& settings);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_ADVISE_ADVICE_H_
