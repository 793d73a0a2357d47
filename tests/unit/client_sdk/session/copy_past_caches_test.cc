#include "client_sdk/session/copy_past_caches.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

struct Case {
  size_t to_offset, from_offset, bytes;
};

// The bytes beside the copy show whether it stays within its bounds.
TEST(CopyPastCachesTest, CopiesWhatMemcpyCopiesAndNothingElse) {
  constexpr size_t kSize = 1 << 20;
  constexpr size_t kLeast = kLeastBytesPastCaches;
  std::vector<uint8_t> from(kSize);
  for (size_t i = 0; i < kSize; ++i) from[i] = static_cast<uint8_t>(i * 31 / 7);
  for (const Case& c : std::vector<Case>{{0, 0, 0},
                                         {64, 128, 100},
                                         {64, 0, kLeast},
                                         {0, 64, kLeast + 63},
                                         {128, 128, kLeast + 4096 + 1},
                                         {1, 64, kLeast},
                                         {64, 7, 2 * kLeast}}) {
    alignas(64) static uint8_t to[kSize], source[kSize];
    std::fill(std::begin(to), std::end(to), 0xee);
    std::copy(from.begin(), from.end(), source);
    CopyPastCaches(to + c.to_offset, source + c.from_offset, c.bytes);
    std::vector<uint8_t> expected(kSize, 0xee);
    std::copy_n(from.begin() + c.from_offset, c.bytes,
                expected.begin() + c.to_offset);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), to))
        << c.bytes << " bytes from " << c.from_offset << " to " << c.to_offset;
  }
}

}  // namespace
}  // namespace stowage::session
