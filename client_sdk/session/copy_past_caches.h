// Copies tensors between memories without filling the processor's caches.
//
//   CopyPastCaches(slow + offset_bytes, fast + offset_bytes, size_bytes);
//
// A copy through the caches reads every line that it is about to overwrite, and
// throws out what the kernels beside it were using. Stores that go past the
// caches do neither.
#ifndef STOWAGE_CLIENT_SDK_SESSION_COPY_PAST_CACHES_H_
#define STOWAGE_CLIENT_SDK_SESSION_COPY_PAST_CACHES_H_

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace stowage::session {

// Less than this stays in a cache until it is used.
inline constexpr size_t kLeastBytesPastCaches = 256 << 10;

// Does what memcpy() does. Small copies, and those to or from addresses that
// are no multiples of 64 bytes, go through the caches.
inline void CopyPastCaches(void* to, const void* from, size_t bytes) {
  constexpr size_t kLineBytes = 64;
  constexpr size_t kAheadBytes = 16 * kLineBytes;
  const auto misaligned = [](const void* address) {
    return reinterpret_cast<uintptr_t>(address) % kLineBytes != 0;
  };
  if (bytes < kLeastBytesPastCaches || misaligned(to) || misaligned(from)) {
    memcpy(to, from, bytes);
    return;
  }
  const size_t whole_bytes = bytes / kLineBytes * kLineBytes;
  const auto* source = static_cast<const char*>(from);
  auto* target = static_cast<char*>(to);
  for (size_t at = 0; at < whole_bytes; at += kLineBytes) {
    // A prefetch beyond the end is ignored.
    _mm_prefetch(source + at + kAheadBytes, _MM_HINT_NTA);
    const auto* lines = reinterpret_cast<const __m128i*>(source + at);
    auto* stores = reinterpret_cast<__m128i*>(target + at);
    for (int part = 0; part < 4; ++part) {
      _mm_stream_si128(stores + part, _mm_load_si128(lines + part));
    }
  }
  _mm_sfence();  // such stores are ordered by nothing else
  memcpy(target + whole_bytes, source + whole_bytes, bytes - whole_bytes);
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_COPY_PAST_CACHES_H_
