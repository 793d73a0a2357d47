// Mixes 64-bit values into keys and signatures.
//
//   uint64_t signature = kHashSeed;
//   for (uint64_t key : keys) signature = HashMix(signature, key);
//
// The results are the same in every process of one build. Not for untrusted
// input.
#ifndef STOWAGE_CLIENT_SDK_SESSION_HASH_H_
#define STOWAGE_CLIENT_SDK_SESSION_HASH_H_

#include <cstdint>
#include <string_view>

namespace stowage::session {

inline constexpr uint64_t kHashSeed = 0xcbf29ce484222325;

// Mixes `value` into `hash` by one round of SplitMix64's finalizer.
inline uint64_t HashMix(uint64_t hash, uint64_t value) {
  uint64_t x = hash ^ (value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2));
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// Returns the FNV-1a hash of `text`.
inline uint64_t HashString(std::string_view text) {
  uint64_t hash = kHashSeed;
  for (unsigned char c : text) hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

}  // namespace stowage::session

#endif  // STOWAGE_CLIENT_SDK_SESSION_HASH_H_
