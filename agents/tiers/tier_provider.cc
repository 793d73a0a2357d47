#include "agents/tiers/tier_provider.h"

#include "agents/tiers/file_provider.h"
#include "agents/tiers/memory_provider.h"
#include "agents/tiers/pmem_provider.h"

namespace stowage::agent {

absl::StatusOr<std::unique_ptr<TierProvider>> MakeTierProvider(
    const TierSpec& spec) {
  if (spec.kind == "dram") return MakeDramProvider(spec);
  if (spec.kind == "numa") return MakeNumaProvider(spec);
  if (spec.kind == "emulated") return MakeEmulatedProvider(spec);
  if (spec.kind == "pmem") return MakePmemProvider(spec);
  return MakeFileProvider(spec);
}

}  // namespace stowage::agent
