#include "agents/engine/tier_use.h"

#include <sys/stat.h>

namespace stowage::agent {
namespace {

// Of `st_blocks`, whatever the block size of the file system.
constexpr int64_t kStatBlockBytes = 512;

}  // namespace

TierPlace PlaceOf(const TierTraits& traits) {
  return {.tier = traits.name, .medium = traits.medium};
}

TierUse UseOf(const TierRoom& room) {
  TierUse use = {.place = PlaceOf(room.traits),
                 .capacity_bytes = room.arena->capacity_bytes()};
  struct stat status;
  if (fstat(room.arena->fd(), &status) == 0) {
    use.used_bytes = status.st_blocks * kStatBlockBytes;
  }
  return use;
}

}  // namespace stowage::agent
