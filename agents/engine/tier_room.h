// Holds a job's share of one tier: its arena, what the tier is like, and the
// host's arbitration of it.
#ifndef STOWAGE_AGENTS_ENGINE_TIER_ROOM_H_
#define STOWAGE_AGENTS_ENGINE_TIER_ROOM_H_

#include <memory>

#include "agents/arbitration/copy_gate.h"
#include "agents/tiers/arena.h"
#include "agents/tiers/tier_provider.h"

namespace stowage::agent {

struct TierRoom {
  std::unique_ptr<Arena> arena;
  TierTraits traits;
  std::shared_ptr<CopyGate> gate;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_TIER_ROOM_H_
