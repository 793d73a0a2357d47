// Tells what memory a plan uses, and which share of the bytes that kernels
// touch is fast.
//
//   PlanUsage usage = MeasurePlanUsage(graph, system, plan);
//   std::optional<double> usd = MemoryPriceUsd(system, usage.peak_bytes);
//
// Pure functions of a valid graph and a verified plan for it.
#ifndef STOWAGE_POLICIES_SIMULATE_PLAN_USAGE_H_
#define STOWAGE_POLICIES_SIMULATE_PLAN_USAGE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

struct PlanUsage {
  // By tier: the most bytes held at once; copies under way count at both ends.
  std::vector<int64_t> peak_bytes;
  // The shares of the bytes that kernels read, and write, in the fast tier
  // (AutoTM, figure 10b); 1 if nothing is read or written.
  double input_locality = 1;
  double output_locality = 1;
};

PlanUsage MeasurePlanUsage(const Graph& graph, const MemorySystem& system,
                           const Plan& plan);

// Returns the price of the memory that the plan uses and no more (AutoTM, 6.3);
// nullopt if the price of a used tier is not known.
std::optional<double> MemoryPriceUsd(const MemorySystem& system,
                                     const std::vector<int64_t>& peak_bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SIMULATE_PLAN_USAGE_H_
