// What page faults cost beyond the copies that they cause.
//
//   ChargePageFaults(graph, system, plan);
#ifndef STOWAGE_POLICIES_SWAP_PAGE_FAULTS_H_
#define STOWAGE_POLICIES_SWAP_PAGE_FAULTS_H_

#include <cstdint>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/plan/plan.h"

namespace stowage::policies {

// Takes every synchronous move into the fast tier for a kernel's operand as
// pages that it faults in. A kernel with a measured time with faulted operands
// is charged that, by the share of the bytes it reads and writes that are
// faulted in, where it is longer than the copies. Adds the overhead to the
// plan's prediction, as stall, and a note that says what was done.
void ChargePageFaults(const Graph& graph, const MemorySystem& system,
                      Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_PAGE_FAULTS_H_
