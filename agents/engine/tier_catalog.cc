#include "agents/engine/tier_catalog.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/engine/calibration.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

namespace {

bool Describes(const v1::MemorySystem& system, const TierProvider& fast,
               const TierProvider& slow) {
  return system.tiers_size() == 2 &&
         system.tiers(0).name() == fast.traits().name &&
         system.tiers(1).name() == slow.traits().name;
}

}  // namespace

absl::StatusOr<TierRoom> TierEntry::MakeRoom(int64_t capacity_bytes) const {
  return RoomOf(provider->CreateArena(capacity_bytes));
}

absl::StatusOr<TierRoom> TierEntry::AdoptRoom(OwnedFd fd) const {
  return RoomOf(provider->AdoptArena(std::move(fd)));
}

absl::StatusOr<TierRoom> TierEntry::RoomOf(
    absl::StatusOr<std::unique_ptr<Arena>> arena) const {
  if (!arena.ok()) return arena.status();
  return TierRoom{
      .arena = *std::move(arena), .traits = provider->traits(), .gate = gate};
}

absl::StatusOr<std::shared_ptr<TierEntry>> TierCatalog::Open(
    const std::string& spec) {
  const absl::StatusOr<TierSpec> parsed = ParseTierSpec(spec);
  if (!parsed.ok()) return parsed.status();
  absl::StatusOr<std::unique_ptr<TierProvider>> provider =
      MakeTierProvider(*parsed);
  if (!provider.ok()) return provider.status();
  const TierTraits& traits = (*provider)->traits();
  std::shared_ptr<CopyGate>& gate = gates_[traits.medium];
  if (gate == nullptr) {
    gate = std::make_shared<CopyGate>(traits.copy_read_threads,
                                      traits.copy_write_threads);
  }
  auto entry = std::make_shared<TierEntry>();
  entry->provider = *std::move(provider);
  entry->gate = gate;
  return entry;
}

absl::StatusOr<std::shared_ptr<const TierEntry>> TierCatalog::FastLocked() {
  if (fast_ == nullptr) {
    absl::StatusOr<std::shared_ptr<TierEntry>> entry = Open(fast_spec_);
    if (!entry.ok()) return entry.status();
    fast_ = *std::move(entry);
  }
  return fast_;
}

absl::StatusOr<std::shared_ptr<const TierEntry>> TierCatalog::Fast() {
  absl::MutexLock lock(&mutex_);
  return FastLocked();
}

absl::StatusOr<v1::MemorySystem> TierCatalog::SystemOf(
    const TierProvider& fast, const TierProvider& slow) {
  if (known_ && Describes(*known_, fast, slow)) return *known_;
  const std::string kind =
      absl::StrCat(slow.traits().name, " on ", slow.traits().medium);
  if (const auto found = systems_.find(kind); found != systems_.end()) {
    return found->second;
  }
  absl::StatusOr<v1::MemorySystem> system =
      MeasureMemorySystem(node_, fast, slow);
  if (system.ok()) systems_[kind] = *system;
  return system;
}

absl::StatusOr<std::shared_ptr<const TierEntry>> TierCatalog::Slow(
    const std::string& spec) {
  absl::MutexLock lock(&mutex_);
  const auto fast = FastLocked();
  if (!fast.ok()) return fast.status();
  absl::StatusOr<std::shared_ptr<TierEntry>> entry = Open(spec);
  if (!entry.ok()) return entry.status();
  absl::StatusOr<v1::MemorySystem> system =
      SystemOf(*(*fast)->provider, *(*entry)->provider);
  if (!system.ok()) return system.status();
  (*entry)->system = *std::move(system);
  return std::shared_ptr<const TierEntry>(*std::move(entry));
}

}  // namespace stowage::agent
