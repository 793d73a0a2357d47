#include "client_sdk/session/page_sums.h"

#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

constexpr int64_t kPages = 64;
constexpr int64_t kBytes = kPages * kPageBytes;

class PageSumsTest : public testing::Test {
 protected:
  PageSumsTest() {
    std::mt19937 random(7);
    for (char& byte : bytes_) byte = static_cast<char>(random());
  }

  std::vector<char> bytes_ = std::vector<char>(kBytes);
  std::unique_ptr<std::atomic<uint64_t>[]> table_ =
      std::make_unique<std::atomic<uint64_t>[]>(
          PageSums::TableBytes(2 * kBytes) / sizeof(uint64_t));
  PageSums sums_{table_.get()};
};

TEST_F(PageSumsTest, WhatWasNotedMatches) {
  sums_.Note(kPageBytes, bytes_.data(), kBytes);
  EXPECT_TRUE(sums_.Match(kPageBytes, bytes_.data(), kBytes));
  // Its pages are known one by one.
  EXPECT_TRUE(
      sums_.Match(3 * kPageBytes, bytes_.data() + 2 * kPageBytes, kPageBytes));
  EXPECT_FALSE(sums_.Match(3 * kPageBytes, bytes_.data(), kPageBytes));
}

TEST_F(PageSumsTest, WhatWasNeverNotedMatchesAnything) {
  EXPECT_TRUE(sums_.Match(0, bytes_.data(), kBytes));
  EXPECT_TRUE(PageSums().Match(0, bytes_.data(), kBytes));
  PageSums().Note(0, bytes_.data(), kBytes);
}

TEST_F(PageSumsTest, WhatIsNotedLastCounts) {
  sums_.Note(0, bytes_.data(), kBytes);
  bytes_[5] ^= 1;
  sums_.Note(0, bytes_.data(), kPageBytes);
  EXPECT_TRUE(sums_.Match(0, bytes_.data(), kBytes));
}

TEST_F(PageSumsTest, EachOfAThousandFlippedBytesIsFound) {
  sums_.Note(0, bytes_.data(), kBytes);
  std::mt19937 random(11);
  for (int i = 0; i < 1000; ++i) {
    char& byte = bytes_[random() % kBytes];
    const auto flip = static_cast<char>(1 + random() % 255);
    byte ^= flip;
    EXPECT_FALSE(sums_.Match(0, bytes_.data(), kBytes));
    byte ^= flip;
  }
  EXPECT_TRUE(sums_.Match(0, bytes_.data(), kBytes));
}

}  // namespace
}  // namespace stowage::session
