// Uses the C library's streams on memory that only instructions reach.
#include <stdio.h>

#include <string>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/preload/slow_memory.h"

namespace stowage::preload {
namespace {

class StreamCallsTest : public testing::Test {
 protected:
  StreamCallsTest() : file_(tmpfile()) {}
  ~StreamCallsTest() override { fclose(file_); }

  FILE* file_;
  const std::string bytes_ = RandomBytes(kManyPieces);
};

TEST_F(StreamCallsTest, WritesAndReadsItemsLargerThanAStreamsBuffer) {
  const SlowMemory from(bytes_), to(kManyPieces);
  EXPECT_EQ(fwrite(from.data(), 1, from.size(), file_), kManyPieces);
  rewind(file_);
  EXPECT_EQ(fread(to.data(), 1, to.size(), file_), kManyPieces);
  EXPECT_EQ(to.Bytes(), bytes_);
}

TEST_F(StreamCallsTest, WritesAndReadsUnlocked) {
  const SlowMemory from(bytes_), to(kManyPieces);
  EXPECT_EQ(fwrite_unlocked(from.data(), kManyPieces, 1, file_), 1);
  rewind(file_);
  EXPECT_EQ(fread_unlocked(to.data(), kManyPieces, 1, file_), 1);
  EXPECT_EQ(to.Bytes(), bytes_);
}

TEST_F(StreamCallsTest, CountsWholeItems) {
  const SlowMemory from(bytes_), to(kManyPieces);
  ASSERT_EQ(fwrite(from.data(), 1, 299'999, file_), 299'999);
  rewind(file_);
  EXPECT_EQ(fread(to.data(), 1000, 400, file_), 299);
  EXPECT_TRUE(feof(file_));
  EXPECT_EQ(to.Bytes().substr(0, 299'999), bytes_.substr(0, 299'999));
}

TEST_F(StreamCallsTest, LeavesOtherMemoryToTheCLibrary) {
  std::string to(kManyPieces, '\0');
  EXPECT_EQ(fwrite(bytes_.data(), 1, bytes_.size(), file_), kManyPieces);
  rewind(file_);
  EXPECT_EQ(fread(to.data(), 1, to.size(), file_), kManyPieces);
  EXPECT_EQ(to, bytes_);
}

TEST_F(StreamCallsTest, NoItemsAreNone) {
  const SlowMemory memory(kPageBytes);
  EXPECT_EQ(fwrite(memory.data(), 0, 10, file_), 0);
  EXPECT_EQ(fread(memory.data(), 10, 0, file_), 0);
}

}  // namespace
}  // namespace stowage::preload
