#include "client_sdk/runtime/moves/scattered_reads.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(ScatteredReadsTest, AddsUpByBlock) {
  ScatteredReads reads;
  reads.Note(1, 100);
  reads.Note(2, 10);
  reads.Note(1, 5);
  EXPECT_EQ(reads.BytesOf(1), 105);
  EXPECT_EQ(reads.BytesOf(2), 10);
  EXPECT_EQ(reads.BytesOf(3), 0);
}

TEST(ScatteredReadsTest, ForgetsTheBlockOfWhichLeastWasRead) {
  ScatteredReads reads;
  for (uint64_t block = 1; block <= 16; ++block) reads.Note(block, 10 * block);
  reads.Note(17, 1000);
  EXPECT_EQ(reads.BytesOf(1), 0);
  EXPECT_EQ(reads.BytesOf(2), 20);
  EXPECT_EQ(reads.BytesOf(17), 1000);
}

}  // namespace
}  // namespace stowage::runtime
