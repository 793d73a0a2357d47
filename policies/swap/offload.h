// Turns the inactive periods that a system swaps into its script: when each
// tensor goes, to which tier, and when it comes back.
//
//   std::vector<Offload> offloads;
//   for (const InactivePeriod& map : FeatureMaps(facts)) {
//     offloads.push_back({.period = map, .leave = leave, .fetch = fetch});
//   }
//   SwapRun run = RunOffloads(facts, offloads, budget_bytes);
#ifndef STOWAGE_POLICIES_SWAP_OFFLOAD_H_
#define STOWAGE_POLICIES_SWAP_OFFLOAD_H_

#include <cstdint>
#include <vector>

#include "policies/planning/inactive_period.h"
#include "policies/swap/step_facts.h"
#include "policies/swap/swap_system.h"

namespace stowage::policies {

// Describes a period during which a tensor is in a slower tier.
struct Offload {
  InactivePeriod period;
  TierIndex tier = 1;
  // The boundaries at which its copies begin, unrolled as in the period.
  KernelIndex leave = 0;
  KernelIndex fetch = 0;
  // The boundaries at which its copies are waited for; -1: only when it
  // matters.
  KernelIndex gone_by = -1;
  KernelIndex back_by = -1;
};

// Returns the periods that can be swapped: those between two uses that need the
// tensor fast, with no use in between that leaves it slow. Sorted by `from`.
std::vector<InactivePeriod> SwappablePeriods(const StepFacts& facts);

// Returns the boundary between forward and backward pass: the one at which the
// most bytes of tensors that do not persist wait for their next use.
KernelIndex TurningPoint(const StepFacts& facts);

// Returns what the forward pass keeps for the backward pass: the periods,
// across the turning point, of tensors that do not persist. Sorted by `from`.
std::vector<InactivePeriod> FeatureMaps(const StepFacts& facts);

int64_t CopyOutNs(const StepFacts& facts, TensorIndex t, TierIndex tier);
int64_t CopyInNs(const StepFacts& facts, TensorIndex t, TierIndex tier);

// Returns the ideal time at an unrolled boundary.
int64_t TimeAt(const StepFacts& facts, KernelIndex boundary);
// Returns the last unrolled boundary that is reached by `ns`, at least 0.
KernelIndex BoundaryAt(const StepFacts& facts, int64_t ns);

// Sets `fetch` of each offload so that the copies in, one after the other in
// each tier's lane, end as their tensors are needed.
void FetchJustInTime(const StepFacts& facts, std::vector<Offload>& offloads);

// Runs a system with the offloads as its script. Demand paging does what the
// script leaves over, and a note says so.
SwapRun RunOffloads(const StepFacts& facts,
                    const std::vector<Offload>& offloads, int64_t budget_bytes,
                    VictimOrder victims = VictimOrder::kLeastRecentlyUsed);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_OFFLOAD_H_
