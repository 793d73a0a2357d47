// Lets a search take plans of other policies into account.
//
//   ConsiderRivals(rivals, graph, system, options, search);
#ifndef STOWAGE_POLICIES_SEARCH_RIVALS_H_
#define STOWAGE_POLICIES_SEARCH_RIVALS_H_

#include <memory>

#include "policies/plan/policy.h"
#include "policies/search/search.h"

namespace stowage::policies {

// Holds policies that win on graphs on which searches do not; none is null. The
// registry makes them.
struct Rivals {
  std::unique_ptr<const Policy> belady;  // nearly all copies hide
  std::unique_ptr<const Policy> g10;     // several tiers' lanes share the work
  std::unique_ptr<const Policy> sentinel;  // room reserved for short-lived ones
  std::unique_ptr<const Policy> redl;      // lanes too slow for most of it
};

// Lets `search` consider the plans of those rivals that may win. Considers none
// once a better plan is not worth it, and skips those that take long for large
// graphs. Blocking.
void ConsiderRivals(const Rivals& rivals, const Graph& graph,
                    const MemorySystem& system, const PlanOptions& options,
                    Search& search);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_RIVALS_H_
