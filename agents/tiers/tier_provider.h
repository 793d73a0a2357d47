// Makes arenas in one kind of memory of this node, and says what it is like.
//
//   absl::StatusOr<std::unique_ptr<TierProvider>> provider =
//       MakeTierProvider(*ParseTierSpec("file:/mnt/nvme"));
//   absl::StatusOr<std::unique_ptr<Arena>> arena = (*provider)->CreateArena(0);
#ifndef STOWAGE_AGENTS_TIERS_TIER_PROVIDER_H_
#define STOWAGE_AGENTS_TIERS_TIER_PROVIDER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agents/tiers/arena.h"
#include "agents/tiers/owned_fd.h"
#include "agents/tiers/tier_spec.h"

namespace stowage::agent {

// Says what jobs, migrator and planner need to know of a tier.
struct TierTraits {
  std::string name;          // "dram", "nvme", "optane": letters, digits, '-'
  bool addressable = false;  // kernels use it in place
  bool file = false;         // the job reads and writes the descriptor
  // Nonzero for emulated media alone. See session::TierInfo.
  int64_t kernel_read_ps_per_byte = 0;
  int64_t kernel_write_ps_per_byte = 0;
  int64_t copy_from_ps_per_byte = 0;
  int64_t copy_to_ps_per_byte = 0;
  int64_t read_latency_ns = 0;
  int64_t write_latency_ns = 0;
  double price_usd_per_gb = 0;  // 0: unknown
  // How many copies at a time, over all jobs, make the medium faster.
  int copy_read_threads = 16;
  int copy_write_threads = 8;
  // Tiers with equal media share one arbitration: "device 254:0".
  std::string medium;
};

// Immutable, hence thread-safe.
class TierProvider {
 public:
  virtual ~TierProvider() = default;

  virtual const TierTraits& traits() const = 0;

  // Returns how much room a job gets that has no bound of its own. Errors are
  // those of CreateArena(). May block on the file system.
  virtual absl::StatusOr<int64_t> DefaultBytes() const = 0;

  // Makes room for one job; 0 bytes mean DefaultBytes(). Touches no page.
  // UNAVAILABLE if this machine or this build has no such memory;
  // PERMISSION_DENIED, NOT_FOUND or RESOURCE_EXHAUSTED if the place cannot be
  // used. The message says what to do. May block on the file system.
  virtual absl::StatusOr<std::unique_ptr<Arena>> CreateArena(
      int64_t capacity_bytes) const = 0;

  // Takes over an arena that another agent made for a job, by its descriptor.
  // INVALID_ARGUMENT if it is none that CreateArena() would have made.
  virtual absl::StatusOr<std::unique_ptr<Arena>> AdoptArena(
      OwnedFd fd) const = 0;
};

// Makes the provider that `spec` names. UNAVAILABLE if the build lacks its
// kind; NOT_FOUND or INVALID_ARGUMENT if the machine lacks the node, the
// directory or the medium.
absl::StatusOr<std::unique_ptr<TierProvider>> MakeTierProvider(
    const TierSpec& spec);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_TIERS_TIER_PROVIDER_H_
