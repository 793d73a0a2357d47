// Adds what page faults cost beyond the copies that they cause.
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
// pages that the kernel faults in. A kernel with a measured time with faulted
// operands is charged that time, by the share of the bytes it reads and writes
// that are faulted in, if it is longer than the copies. Adds the overhead to
// the plan's prediction, as stall, and a note that says so.
void ChargePageFaults(const Graph& graph, const MemorySystem& system,
                      Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_PAGE_FAULTS_H_
