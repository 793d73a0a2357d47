// Says how long a kernel runs, given the tiers of its operands.
//
//   int64_t ns = KernelDurationNs(graph, kernel, kernel.profile, system,
//                                 [&](TensorIndex t) { return tier_of[t]; });
//
// The four corners describe the fast tier against the first slower tier that is
// addressable. Between them the duration is linear in the share of the bytes
// read, and of the bytes written, that are slow (bytes count once per access).
// Bytes in a third addressable tier count in proportion to what a byte there
// costs more than in the fast tier.
//
// Operands in a tier that is not addressable stream through a window in the
// fast tier, while the kernel waits: StreamNs.
#ifndef STOWAGE_POLICIES_MODEL_KERNEL_COST_H_
#define STOWAGE_POLICIES_MODEL_KERNEL_COST_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Returns the kernel's profile with every missing corner derived: the corner
// with everything fast, plus the extra time that its bytes take at the slow
// tier's peak bandwidth. If no slower tier is addressable, missing corners
// equal the fast one.
KernelProfile CompleteProfile(const Graph& graph, const Kernel& kernel,
                              const MemorySystem& system);

// Returns the duration under `profile`, which must be complete. `tier_of` says
// where an operand is. Operands in tiers that are not addressable count as
// fast: they are streamed, and StreamNs says what that adds.
int64_t KernelDurationNs(const Graph& graph, const Kernel& kernel,
                         const KernelProfile& profile,
                         const MemorySystem& system,
                         absl::FunctionRef<TierIndex(TensorIndex)> tier_of);

// Returns the duration under CompleteProfile, which is computed only if an
// operand is slow.
int64_t KernelDurationNs(const Graph& graph, const Kernel& kernel,
                         const MemorySystem& system,
                         absl::FunctionRef<TierIndex(TensorIndex)> tier_of);

// Returns how long the kernel waits for an operand that streams from `tier`,
// which must not be the fast one: once in each direction in which it is used.
// A byte takes as long as was measured of this kernel, or else of all kernels
// together, or else as copies take. A scattered operand takes eight times as long
// as copies at least. So does one that did not stream when others of the kernel
// did: nothing is known of it, and it may be scattered.
int64_t StreamNs(const Graph& graph, const Kernel& kernel,
                 const Operand& operand, const MemorySystem& system,
                 TierIndex tier);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_KERNEL_COST_H_
