// Finds how many layers a migration period of ReDL has (III-D). An iterated
// greedy search begins at half the layers and tests one layer more and one
// less, then two, until a period satisfies the constraints.
//
//   PeriodSearch search = FindPeriods(graph, system, layers, kernel_ns, bytes);
//   // search.tested.back() is the period with which it ended
//
// Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_REDL_PERIOD_SEARCH_H_
#define STOWAGE_POLICIES_REDL_PERIOD_SEARCH_H_

#include <cstdint>
#include <vector>

#include "policies/intervals/interval_demand.h"
#include "policies/intervals/layers.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/cancellation.h"

namespace stowage::policies {

// Returns whether constraints 4 and 5 hold in every period: the tensors that it
// wants fit into `fast_bytes` beside its short-lived ones, and can be fetched
// while the period runs. The paper's p_l stands for a time in equation 1 and
// for an amount of data in its constraints; here it is the amount in both
// constraints.
bool SatisfiesPeriodConstraints(const std::vector<IntervalDemand>& demands,
                                const MemorySystem& system, int64_t fast_bytes);

struct PeriodSearch {
  // The periods in the order in which they were tested; never empty.
  std::vector<LayerIndex> tested;
  // Whether the last one satisfies the constraints; otherwise none does.
  bool found = false;
  int32_t rounds = 0;
};

PeriodSearch FindPeriods(const Graph& graph, const MemorySystem& system,
                         const Layers& layers,
                         const std::vector<int64_t>& kernel_ns,
                         int64_t fast_bytes,
                         const Cancellation& cancellation = {});

// Returns at most `count` of the tested periods to measure, spread over the
// search; the last one is among them.
std::vector<LayerIndex> PeriodsToMeasure(const PeriodSearch& search, int count);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_REDL_PERIOD_SEARCH_H_
