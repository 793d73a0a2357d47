// Names the sizes that tests of policies count in.
#ifndef STOWAGE_TESTS_UNIT_POLICIES_SIZES_H_
#define STOWAGE_TESTS_UNIT_POLICIES_SIZES_H_

#include <cstdint>

namespace stowage::policies {

inline constexpr int64_t kKiB = 1 << 10;
inline constexpr int64_t kMiB = 1 << 20;
inline constexpr int64_t kGB = 1'000'000'000;
inline constexpr int64_t kPage = 4096;

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_SIZES_H_
