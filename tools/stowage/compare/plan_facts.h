// Holds what there is to say of one attempt to plan, as plain numbers. A
// process that planned hands them to the one that asked.
//
//   const PlanFacts made = MakePlanFacts(graph, system, "belady", options);
//   absl::StatusOr<PlanFacts> facts = PlanFactsFromText(ToText(made));
#ifndef STOWAGE_TOOLS_STOWAGE_COMPARE_PLAN_FACTS_H_
#define STOWAGE_TOOLS_STOWAGE_COMPARE_PLAN_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/policy.h"

namespace stowage::cli {

struct PlanFacts {
  std::string error;  // why there is no plan; then the rest is 0
  int64_t step_time_ns = 0;
  int64_t stall_ns = 0;
  int64_t fast_peak_bytes = 0;
  int64_t moved_in_bytes = 0;
  int64_t moved_out_bytes = 0;
  double locality = 0;         // share of operand bytes found fast
  double input_locality = 0;   // of bytes read
  double output_locality = 0;  // of bytes written
  double data_locality = 0;    // of operands (ReDL, IV-D)
  double memory_price = -1;    // US dollars; -1: not known
  double planning_seconds = 0;
  double solver_gap = -1;  // -1: no claim
  std::vector<std::string> notes;
};

// Makes a plan, verifies it, simulates it and returns the facts.
PlanFacts MakePlanFacts(const policies::Graph& graph,
                        const policies::MemorySystem& system,
                        const std::string& policy_spec,
                        const policies::PlanOptions& options);

std::string ToText(const PlanFacts& facts);
// Returns the facts in the text of ToText(). INTERNAL: `text` is something
// else.
absl::StatusOr<PlanFacts> PlanFactsFromText(const std::string& text);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_COMPARE_PLAN_FACTS_H_
