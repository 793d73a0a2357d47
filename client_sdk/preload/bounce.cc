#include "client_sdk/preload/bounce.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>

#include <atomic>

#include "client_sdk/preload/slow_ranges.h"

namespace stowage::preload {
namespace {

// One buffer that no call is using.
std::atomic<char*> g_spare{nullptr};

// Calls `copy(memory, bytes_before, bytes)` for each stretch of the parts in
// [skip, skip + bytes). Returns the bytes of all of them.
template <typename Copy>
size_t ForEachStretch(const Parts& parts, size_t skip, size_t bytes,
                      Copy copy) {
  size_t before = 0;
  for (int i = 0; i < parts.count && before < bytes; ++i) {
    const iovec& part = parts.first[i];
    if (skip >= part.iov_len) {
      skip -= part.iov_len;
      continue;
    }
    const size_t rest = part.iov_len - skip;
    const size_t here = rest < bytes - before ? rest : bytes - before;
    copy(static_cast<char*>(part.iov_base) + skip, before, here);
    before += here;
    skip = 0;
  }
  return before;
}

}  // namespace

bool TouchesSlowRange(const Parts& parts) {
  if (parts.count < 0 || parts.count > IOV_MAX) return false;
  bool touches = false;
  size_t total_bytes = 0;
  for (int i = 0; i < parts.count; ++i) {
    const iovec& part = parts.first[i];
    if (part.iov_len > SSIZE_MAX - total_bytes) return false;
    total_bytes += part.iov_len;
    touches = touches || TouchesSlowRange(part.iov_base, part.iov_len);
  }
  return touches;
}

size_t TotalBytes(const Parts& parts) {
  size_t bytes = 0;
  for (int i = 0; i < parts.count; ++i) bytes += parts.first[i].iov_len;
  return bytes;
}

size_t Gather(const Parts& parts, size_t skip, char* to, size_t bytes) {
  return ForEachStretch(parts, skip, bytes,
                        [&](const char* memory, size_t before, size_t here) {
                          memcpy(to + before, memory, here);
                        });
}

size_t Scatter(const Parts& parts, size_t skip, const char* from,
               size_t bytes) {
  return ForEachStretch(parts, skip, bytes,
                        [&](char* memory, size_t before, size_t here) {
                          memcpy(memory, from + before, here);
                        });
}

Bounce::Bounce() : data_(g_spare.exchange(nullptr)) {
  if (data_ != nullptr) return;
  void* mapped = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped != MAP_FAILED) data_ = static_cast<char*>(mapped);
}

Bounce::~Bounce() {
  if (data_ == nullptr) return;
  const int error = errno;  // of the call that it served
  char* other = g_spare.exchange(data_);
  if (other != nullptr) munmap(other, kBytes);
  errno = error;
}

}  // namespace stowage::preload
