#include "agents/jobs/admission/job_rooms.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "agents/jobs/records/fixed_text.h"
#include "client_sdk/session/address_space.h"
#include "client_sdk/session/size_spec.h"

namespace stowage::agent {
namespace {

constexpr size_t kSlowArena = 1;  // among the descriptors, fast to slow
// What libraries and threads map of what a process may still map. OpenBLAS
// waits for ever for the last 128 MiB.
constexpr int64_t kOtherAddressBytes = int64_t{512} << 20;
// Parts of the rest that arenas may take, fast to slow.
constexpr int64_t kAddressParts[] = {4, 2};
constexpr int64_t kLeastAddressBytes = kOtherAddressBytes + (64 << 20);

absl::Status Annotate(const absl::Status& status, absl::string_view what) {
  return absl::Status(status.code(),
                      absl::StrCat(what, ": ", status.message()));
}

// Gives an arena to the job's user, so that quotas count it. If the agent may
// not do so it keeps the arena, and the job uses it all the same.
void GiveTo(const Peer& peer, int arena) {
  if (fchown(arena, peer.uid, peer.gid) != 0) return;
}

// Returns how many addresses arenas may have in both the process and the agent;
// 0: any number. RESOURCE_EXHAUSTED if that is too little.
absl::StatusOr<int64_t> AddressBytes(const JobRequest& request) {
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  int64_t least_bytes = kAny;
  for (const int64_t bytes :
       {session::AddressBytesLeft(), request.address_bytes}) {
    if (bytes > 0) least_bytes = std::min(least_bytes, bytes);
  }
  if (least_bytes == kAny) return 0;
  if (least_bytes < kLeastAddressBytes) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "a limit on address space leaves ", session::SizeText(least_bytes),
        ", and arenas, libraries and threads need at least ",
        session::SizeText(kLeastAddressBytes), "; raise it (ulimit -v)"));
  }
  return least_bytes - kOtherAddressBytes;
}

// Makes an arena, of at most `most_bytes` unless that is 0.
absl::StatusOr<TierRoom> MakeRoom(const TierEntry& tier, int64_t most_bytes) {
  const absl::StatusOr<int64_t> bytes = tier.provider->DefaultBytes();
  if (!bytes.ok()) return bytes.status();
  if (most_bytes == 0 || *bytes <= most_bytes) return tier.MakeRoom(*bytes);
  return tier.MakeRoom(most_bytes & -session::kPageBytes);
}

// Takes the part of the slow arena. One that a job has already counts as large
// as it is, whatever the job says.
absl::StatusOr<std::unique_ptr<SlowPart>> TakePart(
    const std::string& spec, const std::vector<OwnedFd>& left,
    Allotment* allotment) {
  if (left.size() <= kSlowArena) return allotment->TakeSlow(spec);
  struct stat status;
  if (fstat(left[kSlowArena].get(), &status) != 0) {
    return absl::ErrnoToStatus(errno, "the job's arena");
  }
  return allotment->TakeSlowBytes(status.st_size);
}

}  // namespace

absl::StatusOr<JobRooms> MakeRooms(const JobRequest& request,
                                   std::vector<OwnedFd> left,
                                   const SlowDirectories& directories,
                                   TierCatalog* catalog, Allotment* allotment) {
  const auto fast = catalog->Fast();
  if (!fast.ok()) return Annotate(fast.status(), "fast tier");
  absl::StatusOr<std::string> slow_spec =
      directories.TierFor(request.slow, request.peer);
  if (!slow_spec.ok()) return Annotate(slow_spec.status(), "slow tier");
  std::unique_ptr<SlowPart> slow_part;
  if (allotment != nullptr) {
    auto taken = TakePart(*slow_spec, left, allotment);
    if (!taken.ok()) return Annotate(taken.status(), "slow tier");
    slow_part = *std::move(taken);
    slow_spec = slow_part->spec();
  }
  const auto slow = catalog->Slow(*slow_spec);
  if (!slow.ok()) return Annotate(slow.status(), "slow tier");
  JobRooms rooms{.system = (*slow)->system, .slow_part = std::move(slow_part)};
  const std::shared_ptr<const TierEntry> tiers[] = {*fast, *slow};
  // A job that comes back has mapped its arenas.
  const absl::StatusOr<int64_t> address_bytes =
      left.empty() ? AddressBytes(request) : 0;
  if (!address_bytes.ok()) return address_bytes.status();
  for (size_t i = 0; i < std::size(tiers); ++i) {
    // The limit may grow while the job runs, so it does not bound the arena.
    absl::StatusOr<TierRoom> room =
        left.empty() ? MakeRoom(*tiers[i], *address_bytes / kAddressParts[i])
                     : tiers[i]->AdoptRoom(std::move(left[i]));
    if (!room.ok()) {
      return Annotate(room.status(), i == 0 ? "fast tier" : "slow tier");
    }
    if (request.wants_sums && i + 1 == std::size(tiers)) {
      OwnedFd sums;
      if (left.size() > std::size(tiers)) sums = std::move(left.back());
      const absl::Status kept = room->arena->KeepSums(std::move(sums));
      if (!kept.ok()) return Annotate(kept, "checksums");
    }
    if (left.empty()) GiveTo(request.peer, room->arena->fd());
    rooms.rooms.push_back(*std::move(room));
  }
  return rooms;
}

session::TierInfo TierInfoOf(const TierRoom& room) {
  const TierTraits& traits = room.traits;
  session::TierInfo info{};
  SetText(info.name, traits.name);
  if (traits.addressable) info.flags |= session::kTierAddressable;
  if (traits.file) info.flags |= session::kTierFile;
  info.capacity_bytes = room.arena->capacity_bytes();
  info.kernel_read_ps_per_byte = traits.kernel_read_ps_per_byte;
  info.kernel_write_ps_per_byte = traits.kernel_write_ps_per_byte;
  info.copy_from_ps_per_byte = traits.copy_from_ps_per_byte;
  info.copy_to_ps_per_byte = traits.copy_to_ps_per_byte;
  return info;
}

}  // namespace stowage::agent
