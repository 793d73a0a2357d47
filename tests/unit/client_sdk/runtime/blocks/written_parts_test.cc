#include "client_sdk/runtime/blocks/written_parts.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kSize = 1 << 20;

TEST(WrittenPartsTest, AllOfABlockIsWrittenUnlessItBeganEmpty) {
  WrittenParts parts;
  EXPECT_TRUE(parts.Any(0, 1));
  parts.BeginEmpty(kSize);
  EXPECT_FALSE(parts.Any(0, kSize));
}

TEST(WrittenPartsTest, KnowsWhatWasMarked) {
  WrittenParts parts;
  parts.BeginEmpty(kSize);
  parts.Mark(64 << 10, 96 << 10);
  EXPECT_FALSE(parts.Any(0, 64 << 10));
  EXPECT_TRUE(parts.Any(0, (64 << 10) + 1));
  EXPECT_TRUE(parts.Any(80 << 10, kSize));
  EXPECT_FALSE(parts.Any(96 << 10, kSize));
}

TEST(WrittenPartsTest, APartThatIsTouchedIsWritten) {
  WrittenParts parts;
  parts.BeginEmpty(kSize);
  parts.Mark(4096, 8192);
  EXPECT_TRUE(parts.Any(0, 4096));
}

TEST(WrittenPartsTest, IgnoresWhatIsBeyondTheBlock) {
  WrittenParts parts;
  parts.BeginEmpty(4096);
  EXPECT_FALSE(parts.Any(0, kSize));
  parts.Mark(0, kSize);
  EXPECT_TRUE(parts.Any(0, kSize));
}

TEST(WrittenPartsTest, CanBeMarkedAsAWhole) {
  WrittenParts parts;
  parts.BeginEmpty(kSize);
  parts.MarkAll();
  EXPECT_TRUE(parts.Any(kSize / 2, kSize / 2 + 1));
}

}  // namespace
}  // namespace stowage::runtime
