// Knows the tiers of this host, which all jobs share. However many directories
// and sizes jobs name, each medium is measured once and has one arbitration.
//
//   TierCatalog catalog("node1", "dram");
//   absl::StatusOr<std::shared_ptr<const TierEntry>> slow =
//       catalog.Slow("file:/mnt/nvme");
#ifndef STOWAGE_AGENTS_ENGINE_TIER_CATALOG_H_
#define STOWAGE_AGENTS_ENGINE_TIER_CATALOG_H_

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "agents/arbitration/copy_gate.h"
#include "agents/engine/tier_room.h"
#include "agents/tiers/tier_provider.h"
#include "stowage/v1/memory_system.pb.h"

namespace stowage::agent {

struct TierEntry {
  std::unique_ptr<TierProvider> provider;
  std::shared_ptr<CopyGate> gate;
  // The fast tier and this one, measured; empty for the fast tier itself.
  v1::MemorySystem system;

  // Makes room for one job. Errors are those of TierProvider::CreateArena().
  absl::StatusOr<TierRoom> MakeRoom(int64_t capacity_bytes) const;
  // Takes over the room that another agent made, by its descriptor. Errors are
  // those of TierProvider::AdoptArena().
  absl::StatusOr<TierRoom> AdoptRoom(OwnedFd fd) const;

 private:
  absl::StatusOr<TierRoom> RoomOf(
      absl::StatusOr<std::unique_ptr<Arena>> arena) const;
};

// Thread-safe. Entries live as long as somebody holds them.
class TierCatalog {
 public:
  // `fast_spec` names the fast tier: "dram" or "dram:N". `known`, if given, is
  // taken for its two tiers, by name, in place of a measurement.
  TierCatalog(std::string node, std::string fast_spec,
              std::optional<v1::MemorySystem> known = std::nullopt)
      : node_(std::move(node)),
        fast_spec_(std::move(fast_spec)),
        known_(std::move(known)) {}

  absl::StatusOr<std::shared_ptr<const TierEntry>> Fast();
  // Returns the tier that `spec` names. Measures its medium the first time, and
  // again after an error; that blocks all callers for about half a second.
  absl::StatusOr<std::shared_ptr<const TierEntry>> Slow(
      const std::string& spec);

 private:
  absl::StatusOr<std::shared_ptr<TierEntry>> Open(const std::string& spec)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<std::shared_ptr<const TierEntry>> FastLocked()
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<v1::MemorySystem> SystemOf(const TierProvider& fast,
                                            const TierProvider& slow)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string node_;
  const std::string fast_spec_;
  const std::optional<v1::MemorySystem> known_;
  absl::Mutex mutex_;
  std::shared_ptr<const TierEntry> fast_ ABSL_GUARDED_BY(mutex_);
  // By kind and medium, of which a host has few. A job that keeps naming other
  // sizes does not make the map grow.
  absl::flat_hash_map<std::string, v1::MemorySystem> systems_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, std::shared_ptr<CopyGate>> gates_
      ABSL_GUARDED_BY(mutex_);  // by medium
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_TIER_CATALOG_H_
