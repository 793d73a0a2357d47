// Makes tiers of memory of this host: DRAM, a NUMA node without processors
// (Optane or CXL as system memory), and DRAM that emulates a slower medium.
//
//   absl::StatusOr<std::unique_ptr<TierProvider>> dram =
//       MakeDramProvider({.text = "dram:0", .kind = "dram", .argument = "0"});
#ifndef STOWAGE_AGENTS_TIERS_MEMORY_PROVIDER_H_
#define STOWAGE_AGENTS_TIERS_MEMORY_PROVIDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agents/tiers/tier_provider.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Makes "dram", on any node, or "dram:N", bound to node N.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeDramProvider(
    const TierSpec& spec);

// Makes "numa:N". NOT_FOUND if the node does not exist or has no memory.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeNumaProvider(
    const TierSpec& spec);

// Makes "emulated:MEDIUM", where MEDIUM is one of media.h.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeEmulatedProvider(
    const TierSpec& spec);

// Returns the physical memory of the host in bytes, which is the default size
// of an arena.
int64_t HostMemoryBytes();

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_MEMORY_PROVIDER_H_
