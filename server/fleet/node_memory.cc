#include "server/fleet/node_memory.h"

#include <limits>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "policies/model/memory_system_proto.h"

namespace stowage {
namespace {

constexpr int64_t kUnlimitedBytes = std::numeric_limits<int64_t>::max();

std::string KindOf(const policies::MemorySystem& system) {
  std::string kind = system.processor;
  for (const policies::Tier& tier : system.tiers) {
    absl::StrAppend(&kind, "/", tier.name, tier.addressable ? "+a" : "",
                    tier.streamable ? "+s" : "");
  }
  return kind;
}

int64_t FastBytes(const policies::MemorySystem& system,
                  int64_t fast_total_bytes) {
  if (fast_total_bytes > 0) return fast_total_bytes;
  const int64_t capacity_bytes =
      system.tiers[policies::kFastTier].capacity_bytes;
  return capacity_bytes > 0 ? capacity_bytes : kUnlimitedBytes;
}

}  // namespace

NodeMemory NodeMemoryOf(const v1::MemorySystem& system,
                        int64_t fast_total_bytes) {
  const absl::StatusOr<policies::MemorySystem> valid =
      policies::MemorySystemFromProto(system);
  if (!valid.ok()) return {};
  return {.kind = KindOf(*valid),
          .fast_bytes = FastBytes(*valid, fast_total_bytes),
          .copies = policies::CopySpeedOf(*valid)};
}

}  // namespace stowage
