// A tier that is a file on a disk, used with direct I/O.
//
//   auto provider = MakeFileProvider(*ParseTierSpec("file:/mnt/nvme"));
#ifndef STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_
#define STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "agents/tiers/tier_provider.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Arenas are sparse files; nobody sized: 90 % of the free space, at most 1 TiB.
// A disk that fills up fails the move that finds it full, with ENOSPC.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeFileProvider(
    const TierSpec& spec);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_FILE_PROVIDER_H_
