// Plans of other policies that a search takes into account.
//
//   ConsiderOtherPlans(graph, system, options, search);
#ifndef STOWAGE_POLICIES_SEARCH_OTHER_PLANS_H_
#define STOWAGE_POLICIES_SEARCH_OTHER_PLANS_H_

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/policy.h"
#include "policies/search/search.h"

namespace stowage {

// Of those that win on graphs on which searches do not: Belady's rule where
// nearly all copies hide, G10 where lanes of several tiers share much work,
// Sentinel where it pays to reserve room for what lives shortly, ReDL where
// lanes are too slow for most of it. None once a better plan is not worth it,
// and of those that take long for large graphs none for these. Blocking.
void ConsiderOtherPlans(const Graph& graph, const MemorySystem& system,
                        const PlanOptions& options, Search& search);

}  // namespace stowage

#endif  // STOWAGE_POLICIES_SEARCH_OTHER_PLANS_H_
