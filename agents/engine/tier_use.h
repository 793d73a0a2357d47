// Says how much of a tier a job has taken.
//
//   const TierUse use = UseOf(rooms[0]);
//   std::cout << use.place.tier << ": " << use.used_bytes << " bytes";
#ifndef STOWAGE_AGENTS_ENGINE_TIER_USE_H_
#define STOWAGE_AGENTS_ENGINE_TIER_USE_H_

#include <cstdint>
#include <string>
#include <tuple>

#include "agents/engine/tier_room.h"
#include "agents/tiers/tier_provider.h"

namespace stowage::agent {

// Names a tier of this host: its kind, and the medium that it is on.
struct TierPlace {
  std::string tier;    // TierTraits::name
  std::string medium;  // TierTraits::medium

  bool operator==(const TierPlace&) const = default;
  bool operator<(const TierPlace& other) const {
    return std::tie(tier, medium) < std::tie(other.tier, other.medium);
  }
};

struct TierUse {
  TierPlace place;
  // What the host has given to the arena: bytes that were written at least once
  // and not given back; all of it where room is taken beforehand.
  int64_t used_bytes = 0;
  int64_t capacity_bytes = 0;  // of the arena
};

TierPlace PlaceOf(const TierTraits& traits);

// Asks the file system or the memory. `used_bytes` is 0 if neither can tell.
TierUse UseOf(const TierRoom& room);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_TIER_USE_H_
