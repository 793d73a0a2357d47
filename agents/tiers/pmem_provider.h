// Makes a tier of persistent memory below a directory (Optane with a DAX file
// system). The job maps a file there, and kernels use it in place.
//
//   auto provider = MakePmemProvider(*ParseTierSpec("pmem:/mnt/pmem0"));
#ifndef STOWAGE_AGENTS_TIERS_PMEM_PROVIDER_H_
#define STOWAGE_AGENTS_TIERS_PMEM_PROVIDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agents/tiers/tier_provider.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Makes a provider whose arenas are files of our own and no memkind heaps:
// memkind hides the descriptor of its heap, which the job needs, and the job
// places tensors itself. memkind tells whether the directory is DAX; on any
// other file system the tier works too, through the page cache.
//
// Arenas have their blocks reserved, because a store into a mapped hole of a
// full file system would kill the job. Without a given size an arena has half
// of the free space, at most 16 GiB.
absl::StatusOr<std::unique_ptr<TierProvider>> MakePmemProvider(
    const TierSpec& spec);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_PMEM_PROVIDER_H_
