#include "client_sdk/runtime/blocks/byte_sample.h"

#include <string.h>

#include <algorithm>

#include "client_sdk/session/hash.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kLineBytes = 64;
constexpr int64_t kLines = 16;

uint64_t Mix(uint64_t hash, const char* bytes, int64_t size_bytes) {
  for (int64_t at = 0; at < size_bytes; at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, bytes + at, std::min<int64_t>(sizeof(word), size_bytes - at));
    hash = session::HashMix(hash, word);
  }
  return hash;
}

}  // namespace

uint64_t SampleOf(const char* bytes, int64_t size_bytes) {
  uint64_t hash = session::kHashSeed;
  if (size_bytes <= kLines * kLineBytes) return Mix(hash, bytes, size_bytes);
  const int64_t last = (size_bytes - kLineBytes) / kLineBytes;
  for (int64_t line = 0; line < kLines; ++line) {
    const int64_t at = last * line / (kLines - 1) * kLineBytes;
    hash = Mix(hash, bytes + at, kLineBytes);
  }
  return hash;
}

}  // namespace stowage::runtime
