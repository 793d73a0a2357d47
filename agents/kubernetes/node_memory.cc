#include "agents/kubernetes/node_memory.h"

#include <algorithm>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {
namespace {

// Returns the most that any number of threads has.
template <typename Points>
int64_t Peak(const Points& points) {
  int64_t most = 0;
  for (const v1::BandwidthPoint& point : points) {
    most = std::max<int64_t>(most, point.bytes_per_second());
  }
  return most;
}

TierMemory MemoryOf(const v1::Tier& tier, int64_t bytes) {
  return {.bytes = bytes - bytes % kClaimUnitBytes,
          .medium = tier.name(),
          .read_bytes_per_second = Peak(tier.read()),
          .write_bytes_per_second = Peak(tier.write())};
}

absl::StatusOr<int64_t> SizeOf(const std::string& spec,
                               const TierEntry& entry) {
  const absl::StatusOr<TierSpec> parsed = ParseTierSpec(spec);
  if (!parsed.ok()) return parsed.status();
  if (parsed->size_bytes > 0) return parsed->size_bytes;
  const auto arena = entry.provider->CreateArena(0);
  if (!arena.ok()) return arena.status();
  return (*arena)->capacity_bytes();
}

absl::Status CheckSize(const char* flag, int64_t bytes) {
  if (bytes >= 2 * kClaimUnitBytes) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrCat(
      flag, " has ", bytes, " bytes for claims, and they take ",
      kClaimUnitBytes, " at least, of twice as many; give it more"));
}

}  // namespace

absl::StatusOr<NodeMemory> FindNodeMemory(int64_t fast_bytes,
                                          const std::string& slow_spec,
                                          TierCatalog* catalog) {
  const auto slow = catalog->Slow(slow_spec);
  if (!slow.ok()) return slow.status();
  const absl::StatusOr<int64_t> slow_bytes = SizeOf(slow_spec, **slow);
  if (!slow_bytes.ok()) return slow_bytes.status();
  if (absl::Status s = CheckSize("--fast-total", fast_bytes); !s.ok()) return s;
  if (absl::Status s = CheckSize("--slow", *slow_bytes); !s.ok()) return s;
  const v1::MemorySystem& system = (*slow)->system;
  return NodeMemory{.fast = MemoryOf(system.tiers(0), fast_bytes),
                    .slow = MemoryOf(system.tiers(1), *slow_bytes)};
}

}  // namespace stowage::agent
