#include "client_sdk/runtime/blocks/tier_copy.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client_sdk/session/clock.h"
#include "client_sdk/session/copy_past_caches.h"
#include "client_sdk/session/error_text.h"
#include "client_sdk/session/page_sums.h"

namespace stowage::runtime {
namespace {

// Repeats `transfer(memory, bytes, offset)` until all is done. Returns 0 or an
// errno; a file that ends early is an I/O error.
template <typename Transfer>
int TransferAll(char* memory, int64_t offset_bytes, int64_t bytes,
                Transfer transfer) {
  while (bytes > 0) {
    const ssize_t done = transfer(memory, bytes, offset_bytes);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    memory += done;
    offset_bytes += done;
    bytes -= done;
  }
  return 0;
}

}  // namespace

int ReadFileTier(const MappedTier& tier, int64_t offset_bytes, void* memory,
                 int64_t bytes) {
  const int error = TransferAll(static_cast<char*>(memory), offset_bytes, bytes,
                                [&](char* to, int64_t n, int64_t at) {
                                  return pread(tier.fd, to, n, at);
                                });
  return error != 0 ? error : CheckRead(tier, offset_bytes, memory, bytes);
}

int CheckRead(const MappedTier& tier, int64_t offset_bytes, const void* memory,
              int64_t bytes) {
  const session::PageSums sums(tier.sums);
  return sums.Match(offset_bytes, memory, bytes) ? 0 : session::kBadSum;
}

int WriteFileTier(const MappedTier& tier, int64_t offset_bytes,
                  const void* memory, int64_t bytes) {
  session::PageSums(tier.sums).Note(offset_bytes, memory, bytes);
  return TransferAll(const_cast<char*>(static_cast<const char*>(memory)),
                     offset_bytes, bytes,
                     [&](char* from, int64_t n, int64_t at) {
                       return pwrite(tier.fd, from, n, at);
                     });
}

int CopyBetweenTiers(const std::vector<MappedTier>& tiers, Place from, Place to,
                     int64_t bytes) {
  const MappedTier& source = tiers[from.tier];
  const MappedTier& target = tiers[to.tier];
  const int64_t begin_ns = session::NowNs();
  int error = 0;
  if (!target.addressable()) {
    error = WriteFileTier(target, to.offset_bytes,
                          source.base + from.offset_bytes, bytes);
  } else if (!source.addressable()) {
    error = ReadFileTier(source, from.offset_bytes,
                         target.base + to.offset_bytes, bytes);
  } else {
    session::CopyPastCaches(target.base + to.offset_bytes,
                            source.base + from.offset_bytes, bytes);
  }
  const int64_t ps_per_byte =
      source.info.copy_from_ps_per_byte + target.info.copy_to_ps_per_byte;
  SpendNs(begin_ns + bytes * ps_per_byte / 1000 - session::NowNs());
  return error;
}

void SpendNs(int64_t duration_ns) {
  if (duration_ns <= 0) return;
  constexpr int64_t kSpinNs = 60'000;  // a sleep overshoots by about as much
  const int64_t end_ns = session::NowNs() + duration_ns;
  if (duration_ns > kSpinNs) {
    const int64_t sleep_ns = duration_ns - kSpinNs;
    timespec sleep{sleep_ns / 1'000'000'000, sleep_ns % 1'000'000'000};
    nanosleep(&sleep, nullptr);
  }
  while (session::NowNs() < end_ns) {
  }
}

}  // namespace stowage::runtime
