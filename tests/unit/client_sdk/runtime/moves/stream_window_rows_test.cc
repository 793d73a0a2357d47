#include <algorithm>
#include <cstdint>
#include <vector>

#include "client_sdk/runtime/moves/stream_window.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/moves/streamed_file.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

// A window of 256 frames of 64 KiB, and rows of 80 KiB that it has no room for.
class LargeStreamWindowTest : public StreamedFile {
 protected:
  static constexpr int64_t kRows = 512;
  static constexpr int64_t kRowPages = 20;

  LargeStreamWindowTest() : StreamedFile(64 << 20, 64 << 20) {}
  void SetUp() override {
    StreamedFile::SetUp();
    rows_ = {.id = 9, .size_bytes = kRows * kRowPages * kPage, .place = {1, 0}};
    WriteFile(rows_);
    ASSERT_EQ(window_.Use(48 << 20, 16 << 20), 0);
  }

  Block rows_;
};

TEST_F(LargeStreamWindowTest, ReadsAPieceOfManyPagesAtOnce) {
  Read(rows_, 0);
  EXPECT_EQ(window_.TakeReadBytes(), 64 << 10);
}

TEST_F(LargeStreamWindowTest, HasSmallPiecesOnceLargeOnesWereReadAgain) {
  for (int64_t column = 0; column < kRowPages; ++column) {
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t page = row * kRowPages + column;
      ASSERT_EQ(Read(rows_, page), static_cast<char>(page));
      Write(rows_, page, static_cast<char>(page + 3));
    }
  }
  EXPECT_LE(window_.TakeReadBytes(), 4 * rows_.size_bytes);
  ASSERT_EQ(window_.Release(rows_), 0);
  for (int64_t page = 0; page < kRows * kRowPages; page += 7) {
    ASSERT_EQ(InFile(rows_, page), static_cast<char>(page + 3));
  }
}

TEST_F(LargeStreamWindowTest, KeepsLargePiecesWhereAKernelSweeps) {
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (int64_t page = 0; page < kRows * kRowPages; page += 4) {
      ASSERT_EQ(Read(rows_, page), static_cast<char>(page));
    }
  }
  window_.TakeReadBytes();
  ASSERT_EQ(window_.Release(rows_), 0);
  Read(rows_, 0);
  EXPECT_GE(window_.TakeReadBytes(), 64 << 10);
}

TEST_F(LargeStreamWindowTest,
       KeepsLargePiecesWhereRowsAreShorterThanSmallOnes) {
  for (int column = 0; column < 3; ++column) {
    for (int64_t page = column; page < kRows * kRowPages; page += 3) {
      ASSERT_EQ(Read(rows_, page), static_cast<char>(page));
    }
  }
  window_.TakeReadBytes();
  ASSERT_EQ(window_.Release(rows_), 0);
  Read(rows_, 0);
  EXPECT_GE(window_.TakeReadBytes(), 64 << 10);
}

// Kernels that come back to a few bytes of every row, which are `row_pages` long.
class ManyRowsTest : public LargeStreamWindowTest {
 protected:
  void Run(int64_t row_pages, int passes, int64_t window_bytes = 16 << 20) {
    window_.Expect(/*shape=*/row_pages);
    ASSERT_EQ(window_.Use(48 << 20, window_bytes), 0);
    for (int pass = 0; pass < passes; ++pass) Pass(row_pages);
  }
  void Pass(int64_t row_pages) {
    window_.TakeReadBytes();
    for (int64_t page = 0; page < kRows * kRowPages; page += row_pages) {
      ASSERT_EQ(Read(rows_, page), static_cast<char>(page));
    }
  }
  // Returns what the first fault of such a kernel reads.
  int64_t FirstPieceBytes(int64_t row_pages) {
    Run(row_pages, /*passes=*/0);
    window_.TakeReadBytes();
    Read(rows_, 0);
    return window_.TakeReadBytes();
  }
};

TEST_F(ManyRowsTest, SinglePagesHoldAllRowsAndAreTakenAtOnceTheNextTime) {
  Run(/*row_pages=*/9, /*passes=*/200);
  EXPECT_EQ(window_.TakeReadBytes(), 0);
  EXPECT_EQ(FirstPieceBytes(/*row_pages=*/7), 64 << 10);
  EXPECT_EQ(FirstPieceBytes(/*row_pages=*/9), kPage);
}

TEST_F(ManyRowsTest, PagesThatFailedAreTriedAgainInALargerWindow) {
  Run(/*row_pages=*/9, /*passes=*/200, /*window_bytes=*/2 << 20);
  EXPECT_GT(window_.TakeReadBytes(), 0);
  Run(/*row_pages=*/9, /*passes=*/200);
  EXPECT_EQ(window_.TakeReadBytes(), 0);
}

TEST_F(ManyRowsTest, PagesThatHoldNoMoreAreLargerPiecesAgain) {
  Run(/*row_pages=*/2, /*passes=*/60);
  EXPECT_GT(window_.TakeReadBytes(), 16 << 20);
  EXPECT_EQ(FirstPieceBytes(/*row_pages=*/7), 64 << 10);
  EXPECT_EQ(FirstPieceBytes(/*row_pages=*/2), 64 << 10);
}

// As a batch normalisation does: through one channel of each image after the other.
TEST_F(LargeStreamWindowTest, ReadsAheadOfManySweepsInTurns) {
  constexpr int64_t kImages = 40;
  constexpr int64_t kPiecePages = 16;
  constexpr int64_t kImagePages = kRows * kRowPages / kImages;
  std::vector<Block> images(kImages);
  for (int64_t i = 0; i < kImages; ++i) {
    images[i] = {.id = static_cast<uint64_t>(100 + i),
                 .size_bytes = kImagePages * kPage,
                 .place = {1, i * kImagePages * kPage}};
  }
  for (int64_t page = 0; page < kImagePages; page += kPiecePages) {
    window_.TakeReadBytes();
    for (int64_t i = 0; i < kImages; ++i) {
      ASSERT_EQ(Read(images[i], page),
                static_cast<char>(i * kImagePages + page));
    }
  }
  EXPECT_EQ(window_.TakeReadBytes(), 0);  // the last pieces were there
}

}  // namespace
}  // namespace stowage::runtime
