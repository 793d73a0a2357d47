// Declares the messages that set a session up, over SOCK_SEQPACKET.
//
//   session::Hello hello{};
//   hello.magic = session::kMagic;
//   hello.version = session::kVersion;
//
// The rules of session.h hold.
#ifndef STOWAGE_CLIENT_SDK_SESSION_SETUP_MESSAGES_H_
#define STOWAGE_CLIENT_SDK_SESSION_SETUP_MESSAGES_H_

#include <cstdint>

#include "client_sdk/session/limit_order.h"

namespace stowage::session {

inline constexpr uint64_t kMagic = 0x31656761776f7473;  // "stowage1"
inline constexpr uint32_t kVersion = 17;

inline constexpr int kMaxTiers = 4;
inline constexpr int kFastTier = 0;
// Of the segment, the tiers and the checksums.
inline constexpr int kMostDescriptors = kMaxTiers + 2;
inline constexpr int64_t kPageBytes = 4096;

// Strings end with a NUL within their array.
struct Hello {
  uint64_t magic;
  uint32_t version;
  int32_t reserved;   // ignored: the socket tells whose process it is
  char run_id[64];    // names the report; may be empty
  char command[256];  // for people
  char fast[64];    // "900MiB", "40%", "unlimited"; empty: the agent's default
  char slow[256];   // "file:/mnt/nvme", ...; empty: the agent's default
  char policy[64];  // empty: the agent's default
  char floor[64];   // "200MiB": what it is sure of; empty: the agent's rule
  int64_t wants_hints;    // 0 or 1
  int64_t wants_sums;     // 0 or 1: check what comes back from a file
  int64_t local_ranks;    // that a launcher started on this host; 0: none did
  int64_t address_bytes;  // that it may still map; 0: as many as it likes
  // 1: the job had another agent and keeps its segment and arenas, whose
  // descriptors come with the message, in the order of those that a welcome has.
  int64_t comes_back;
  char job_id[128];  // if it comes back: from its first welcome
  LimitOrder limit;  // if it comes back: in place of `fast`
};

enum TierFlags : uint32_t {
  // Kernels may use the tier in place: map the descriptor.
  kTierAddressable = 1u << 0,
  // Read and write the descriptor with page-aligned direct I/O.
  kTierFile = 1u << 1,
};

struct TierInfo {
  char name[64];
  uint32_t flags;
  uint32_t reserved;
  int64_t capacity_bytes;  // size of the arena
  // Emulated media: kernels that touch the tier take this much longer, and
  // copies take at least this long. 0 for real media.
  int64_t kernel_read_ps_per_byte;
  int64_t kernel_write_ps_per_byte;
  int64_t copy_from_ps_per_byte;  // tier -> fast
  int64_t copy_to_ps_per_byte;    // fast -> tier
};

struct Welcome {
  uint64_t magic;
  uint32_t version;
  int32_t accepted;  // 0: refused, `error` says why and what to do
  char error[512];
  char job_id[128];
  int64_t segment_bytes;
  LimitOrder limit;  // on fast tensor bytes
  uint32_t tier_count;
  uint32_t has_sums;  // 1: the last descriptor is that of page_sums.h
  TierInfo tiers[kMaxTiers];
};

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_SETUP_MESSAGES_H_
