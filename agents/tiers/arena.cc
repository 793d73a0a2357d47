#include "agents/tiers/arena.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <future>
#include <vector>

#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

// What a thread takes to start, and what DRAM copies meanwhile.
constexpr int64_t kThreadStartNs = 30'000;
constexpr int64_t kLeastSliceBytes = 256 << 10;

bool Inside(const Arena& arena, int64_t offset_bytes, int64_t size_bytes) {
  if (offset_bytes < 0 || size_bytes <= 0) return false;
  if (offset_bytes % session::kPageBytes != 0) return false;
  if (size_bytes % session::kPageBytes != 0) return false;
  // Written so that no sum can overflow.
  return size_bytes <= arena.capacity_bytes() &&
         offset_bytes <= arena.capacity_bytes() - size_bytes;
}

// Copies one thread's part; the arguments have been checked.
int CopySlice(Arena& from, int64_t from_offset_bytes, Arena& to,
              int64_t to_offset_bytes, int64_t size_bytes) {
  const auto size = static_cast<size_t>(size_bytes);
  if (from.mapped() != nullptr) {
    return to.Write(to_offset_bytes, {from.mapped() + from_offset_bytes, size});
  }
  return from.Read(from_offset_bytes, {to.mapped() + to_offset_bytes, size});
}

}  // namespace

int UsefulThreads(const Arena& from, const Arena& to, int64_t size_bytes,
                  int64_t medium_ns, int most) {
  if (!from.gains_from_threads() || !to.gains_from_threads()) return 1;
  const int64_t busy =
      std::max(size_bytes / kLeastSliceBytes, medium_ns / kThreadStartNs);
  const int64_t pages = size_bytes / session::kPageBytes;
  return static_cast<int>(
      std::clamp<int64_t>(std::min(busy, pages), 1, std::max(most, 1)));
}

bool CanCopy(const Arena& from, int64_t from_offset_bytes, const Arena& to,
             int64_t to_offset_bytes, int64_t size_bytes) {
  if (!Inside(from, from_offset_bytes, size_bytes)) return false;
  if (!Inside(to, to_offset_bytes, size_bytes)) return false;
  if (&from == &to &&
      std::abs(from_offset_bytes - to_offset_bytes) < size_bytes) {
    return false;
  }
  return from.mapped() != nullptr || to.mapped() != nullptr;
}

int CopyBetween(Arena& from, int64_t from_offset_bytes, Arena& to,
                int64_t to_offset_bytes, int64_t size_bytes, int threads) {
  if (!CanCopy(from, from_offset_bytes, to, to_offset_bytes, size_bytes)) {
    return EINVAL;
  }
  const int64_t pages = size_bytes / session::kPageBytes;
  const int64_t slice_bytes =
      (pages + threads - 1) / threads * session::kPageBytes;
  // Without a launch policy, async does the work in get() if the host refuses a
  // thread.
  std::vector<std::future<int>> helpers;
  for (int64_t at = slice_bytes; at < size_bytes; at += slice_bytes) {
    helpers.push_back(
        std::async([&from, &to, from_offset_bytes, to_offset_bytes, at,
                    bytes = std::min(slice_bytes, size_bytes - at)] {
          return CopySlice(from, from_offset_bytes + at, to,
                           to_offset_bytes + at, bytes);
        }));
  }
  int error = CopySlice(from, from_offset_bytes, to, to_offset_bytes,
                        std::min(slice_bytes, size_bytes));
  for (std::future<int>& helper : helpers) {
    const int helper_error = helper.get();
    if (error == 0) error = helper_error;
  }
  return error;
}

}  // namespace stowage::agent
