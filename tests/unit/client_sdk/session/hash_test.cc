#include "client_sdk/session/hash.h"

#include <unordered_set>

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

TEST(HashTest, StringsHashAsFnv1aDoes) {
  // Test vectors of the FNV reference distribution.
  EXPECT_EQ(HashString(""), 0xcbf29ce484222325);
  EXPECT_EQ(HashString("a"), 0xaf63dc4c8601ec8c);
  EXPECT_EQ(HashString("foobar"), 0x85944171f73967e8);
}

TEST(HashTest, MixingDependsOnTheOrderOfValues) {
  EXPECT_NE(HashMix(HashMix(kHashSeed, 1), 2),
            HashMix(HashMix(kHashSeed, 2), 1));
  EXPECT_NE(HashMix(kHashSeed, 0), kHashSeed);
}

TEST(HashTest, MixingSmallValuesDoesNotCollide) {
  std::unordered_set<uint64_t> seen;
  for (uint64_t a = 0; a < 100; ++a) {
    for (uint64_t b = 0; b < 100; ++b) {
      seen.insert(HashMix(HashMix(kHashSeed, a), b));
    }
  }
  EXPECT_EQ(seen.size(), 100u * 100u);
}

}  // namespace
}  // namespace stowage::session
