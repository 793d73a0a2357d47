// Makes a tier of files on a disk, used with direct I/O.
//
//   auto provider = MakeFileProvider(*ParseTierSpec("file:/mnt/nvme"));
#ifndef STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_
#define STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agents/tiers/tier_provider.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Arenas are sparse files. Without a given size an arena has 90 % of the free
// space, at most 1 TiB; RESOURCE_EXHAUSTED if that is not a page. If the disk
// fills up, the move that finds it full fails with ENOSPC.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeFileProvider(
    const TierSpec& spec);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_
