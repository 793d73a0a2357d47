#include "client_sdk/runtime/moves/stream_window.h"

#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/process/mapping_time.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/moves/streamed_file.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

class StreamWindowTest : public StreamedFile {};

TEST_F(StreamWindowTest, AFaultThatWaitsForTheFileDoesNotHoldUpOthers) {
  const auto fault = [&](int64_t page, bool again) {
    return window_.Fault(&block_, AddressOf(block_, page), Access::kRead,
                         again);
  };
  window_.requests()->Hold();  // nobody learns that a transfer is over
  EXPECT_EQ(fault(0, /*again=*/false), EINPROGRESS);
  EXPECT_EQ(fault(50, /*again=*/false), EINPROGRESS);
  EXPECT_EQ(fault(0, /*again=*/true), EINPROGRESS);
  window_.requests()->LetGo();
  EXPECT_EQ(Read(block_, 50), 50);
  EXPECT_EQ(Read(block_, 0), 0);
}

TEST_F(StreamWindowTest, ReadsTheChunkThatFaulted) {
  EXPECT_EQ(Read(block_, 7), 7);
  EXPECT_EQ(*AddressOf(block_, 4), 4);  // of the same chunk
  EXPECT_EQ(Read(block_, 63), 63);
  EXPECT_EQ(window_.TakeReadBytes(), 2 * kChunk);
  EXPECT_EQ(window_.TakeReadBytes(), 0);
}

TEST_F(StreamWindowTest, CountsWhatItTakesToMapOpenAndUnmapAPiece) {
  int64_t before_ns = MappingTime::TotalNs();
  const auto counts = [&](int error) {
    const int64_t more_ns = MappingTime::TotalNs() - before_ns;
    before_ns += more_ns;
    return error == 0 && more_ns > 0;
  };
  EXPECT_TRUE(counts(Fault(block_, 7, Access::kRead)));
  EXPECT_FALSE(counts(Fault(block_, 7, Access::kRead)));  // it is mapped
  EXPECT_TRUE(counts(Fault(block_, 7, Access::kWrite)));
  EXPECT_TRUE(counts(window_.Release(block_)));
}

TEST_F(StreamWindowTest, WritesBackWhatWasChangedAndOnlyThat) {
  Read(block_, 1 * kChunkPages);
  Write(block_, 4 * kChunkPages, 'x');
  EXPECT_EQ(InFile(block_, 4 * kChunkPages), 4 * kChunkPages);  // not yet
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(InFile(block_, 4 * kChunkPages), 'x');
  EXPECT_EQ(window_.TakeWrittenBytes(), kChunk);
}

TEST_F(StreamWindowTest, DropsTheChangesOfADyingBlock) {
  Write(block_, 2, 'x');
  ASSERT_EQ(window_.Release(block_, /*keep=*/false), 0);
  EXPECT_EQ(InFile(block_, 2), 2);
  EXPECT_EQ(window_.TakeWrittenBytes(), 0);
}

TEST_F(StreamWindowTest, WritesBackWhenAnotherChunkNeedsTheRoom) {
  Write(block_, 0, 'x');
  // All but one frame may hold other chunks; which one leaves is random.
  for (int sweep = 0; sweep < 4; ++sweep) {
    for (int64_t chunk = 1; chunk < 4 * kFrames; ++chunk) {
      const int64_t page = chunk * kChunkPages;
      EXPECT_EQ(Read(block_, page), static_cast<char>(page));
    }
  }
  EXPECT_EQ(InFile(block_, 0), 'x');
  EXPECT_EQ(Read(block_, 0), 'x');
}

TEST_F(StreamWindowTest, TakesFreeFramesFirst) {
  // No two are neighbours, and they go down: they are no stream and no rows.
  for (int64_t i = kFrames - 1; i >= 0; --i) Read(block_, 2 * i * kChunkPages);
  for (int64_t i = 0; i < kFrames; ++i) {  // all still mapped
    const int64_t page = 2 * i * kChunkPages;
    EXPECT_EQ(*AddressOf(block_, page), static_cast<char>(page));
  }
}

TEST_F(StreamWindowTest, TheFirstWriteMakesAChunkThatWasReadWritable) {
  for (const Access access : {Access::kWrite, Access::kUnknown}) {
    ASSERT_EQ(Read(block_, 1), 1);
    ASSERT_EQ(Fault(block_, 1, access), 0);
    *AddressOf(block_, 1) = 'x';
    ASSERT_EQ(window_.Release(block_), 0);
    EXPECT_EQ(InFile(block_, 1), 'x');
    WriteFile(block_);
  }
}

TEST_F(StreamWindowTest, OpensWhatIsReadForWritingWhereThatCameNext) {
  Read(block_, 0);
  Write(block_, 0, 'x');
  const int64_t page = 9 * kChunkPages;
  EXPECT_EQ(Read(block_, page), static_cast<char>(page));
  *AddressOf(block_, page) = 'x';  // without a fault
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(InFile(block_, page), 'x');
}

TEST_F(StreamWindowTest, WhatWasWrittenOnceStaysCleanWhenItIsReadLater) {
  const int64_t chunks = 2 * kFrames;
  for (int64_t i = 0; i < chunks; ++i) Write(block_, i * kChunkPages, 'x');
  ASSERT_EQ(window_.Release(block_), 0);
  window_.TakeWrittenBytes();
  for (int64_t i = 0; i < chunks; ++i) Read(block_, i * kChunkPages);
  Write(block_, 0, 'y');  // one of them is written after all
  for (int64_t i = 0; i < chunks; ++i) Read(block_, i * kChunkPages);
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(window_.TakeWrittenBytes(), kChunk);
}

TEST_F(StreamWindowTest, AReaderThatWasSlowerThanAnotherChangesNothing) {
  Read(block_, 1);
  Read(block_, 1);
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(window_.TakeReadBytes(), kChunk);
  EXPECT_EQ(window_.TakeWrittenBytes(), 0);
}

TEST_F(StreamWindowTest, ReadsAheadOfAStreamAndNotBeyondItsBlock) {
  for (const bool up : {true, false}) {
    const int64_t chunks = 4 * kFrames;
    const auto at = [&](int64_t i) {
      return (up ? i : chunks - 1 - i) * kChunkPages;
    };
    for (int64_t i = 0; i < 4; ++i) Read(block_, at(i));
    EXPECT_GE(window_.TakeReadBytes(), 5 * kChunk);
    for (int64_t i = 4; i < chunks; ++i) {
      EXPECT_EQ(Read(block_, at(i)), static_cast<char>(at(i)));
    }
    EXPECT_LE(window_.TakeReadBytes(), (chunks - 4) * kChunk);
    ASSERT_EQ(window_.Release(block_), 0);
  }
}

TEST_F(StreamWindowTest, TwoPiecesComeInAheadOfAStream) {
  Read(block_, 0);
  Read(block_, kChunkPages);
  // The first chunk, two more for the second fault, and twice two ahead.
  EXPECT_EQ(window_.TakeReadBytes(), 7 * kChunk);
}

TEST_F(StreamWindowTest, AStreamLeavesWhatWasThereBefore) {
  const int64_t resident = kFrames / 2;
  const int64_t far = 4 * kFrames - 1;
  const auto resident_page = [&](int64_t i) {
    return (far - 2 * i) * kChunkPages;
  };
  for (int64_t i = 0; i < resident; ++i) Read(block_, resident_page(i));
  window_.TakeReadBytes();
  for (int64_t chunk = 0; chunk < 2 * kFrames; ++chunk) {
    Read(block_, chunk * kChunkPages);
  }
  window_.TakeReadBytes();
  int64_t still_there = 0;
  for (int64_t i = 0; i < resident; ++i) {
    Read(block_, resident_page(i));
    if (window_.TakeReadBytes() == 0) ++still_there;
  }
  EXPECT_GE(still_there, resident / 2);
}

TEST_F(StreamWindowTest, WhatAStreamPassedIsWrittenWhileItGoesOn) {
  for (int64_t chunk = 0; chunk < 6; ++chunk) {
    Write(block_, chunk * kChunkPages, 'x');
  }
  EXPECT_GE(window_.TakeWrittenBytes(), 4 * kChunk);
  // A writer that comes back waits, and its changes are not lost.
  Write(block_, 0, 'y');
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(InFile(block_, 0), 'y');
  EXPECT_EQ(InFile(block_, 5 * kChunkPages), 'x');
}

TEST_F(StreamWindowTest, WhatWasThereBeforeAStreamIsNotWrittenBehindIt) {
  for (int64_t chunk = 0; chunk < 8; ++chunk) {
    Write(block_, chunk * kChunkPages, 'x');
  }
  window_.TakeWrittenBytes();
  for (int sweep = 0; sweep < 3; ++sweep) {
    for (int64_t chunk = 0; chunk < 8; ++chunk) {
      Write(block_, chunk * kChunkPages, 'y');
    }
  }
  // The stream of the first sweep had its last pieces in hand.
  EXPECT_LE(window_.TakeWrittenBytes(), 3 * kChunk);
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(InFile(block_, 0), 'y');
}

TEST_F(StreamWindowTest, DoesNotReadWhatWasNeverWritten) {
  block_.written.BeginEmpty(block_.room_bytes());
  const int64_t chunks = block_.room_bytes() / kChunk;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    Write(block_, chunk * kChunkPages, static_cast<char>(chunk + 1));
  }
  EXPECT_EQ(window_.TakeReadBytes(), 0);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) {
    EXPECT_EQ(Read(block_, chunk * kChunkPages), static_cast<char>(chunk + 1));
  }
  EXPECT_GE(window_.TakeReadBytes(), (chunks - kFrames) * kChunk);
}

TEST_F(StreamWindowTest, StreamsABlockThatIsLargerThanTheWindow) {
  const int64_t pages = block_.size_bytes / kPage;
  for (int64_t page = 0; page < pages; ++page) {
    Write(block_, page, static_cast<char>(100 - page));
  }
  for (int64_t page = 0; page < pages; ++page) {
    EXPECT_EQ(Read(block_, page), static_cast<char>(100 - page));
  }
}

TEST_F(StreamWindowTest, ReadsRowsOnceOfWhichAKernelGoesDownTheColumns) {
  constexpr int64_t kRows = 36;
  constexpr int64_t kRowChunks = 3;
  ASSERT_EQ(window_.Use(12 * kWindowBytes, 4 * kWindowBytes), 0);
  Block rows{
      .id = 5, .size_bytes = kRows * kRowChunks * kChunk, .place = {1, 0}};
  WriteFile(rows);
  ASSERT_LT(4 * kFrames, kRows * kRowChunks);
  for (int64_t column = 0; column < kRowChunks; ++column) {
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t page = (row * kRowChunks + column) * kChunkPages;
      EXPECT_EQ(Read(rows, page), static_cast<char>(page));
    }
  }
  // The first rows of a column look like sweeps, and read a little ahead.
  EXPECT_LE(window_.TakeReadBytes(), (kRows * kRowChunks + 4) * kChunk);
}

TEST_F(StreamWindowTest, KeepsWhatAKernelWritesDownTheColumns) {
  constexpr int64_t kRows = 36;
  constexpr int64_t kRowPages = 3 * kChunkPages;
  ASSERT_EQ(window_.Use(12 * kWindowBytes, 4 * kWindowBytes), 0);
  Block rows{.id = 6, .size_bytes = kRows * kRowPages * kPage, .place = {1, 0}};
  WriteFile(rows);
  for (int64_t column = 0; column < kRowPages; ++column) {
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t page = row * kRowPages + column;
      Read(rows, page);
      Write(rows, page, static_cast<char>(page + 7));
    }
  }
  ASSERT_EQ(window_.Release(rows), 0);
  for (int64_t page = 0; page < kRows * kRowPages; ++page) {
    EXPECT_EQ(InFile(rows, page), static_cast<char>(page + 7));
  }
}

TEST_F(StreamWindowTest, HasRoomForMoreRowsOnceItHasReadThemManyTimes) {
  constexpr int kColumns = 64;
  const int64_t rows = 5 * kFrames / 2;
  for (int column = 0; column < kColumns; ++column) {
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t page = row * (kChunk / kPage) + 2;
      ASSERT_EQ(Read(block_, page), static_cast<char>(page + column));
      Write(block_, page, static_cast<char>(page + column + 1));
    }
  }
  EXPECT_LE(window_.TakeReadBytes(), 6 * block_.size_bytes);
  ASSERT_EQ(window_.Release(block_), 0);
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t page = row * (kChunk / kPage) + 2;
    ASSERT_EQ(InFile(block_, page), static_cast<char>(page + kColumns));
  }
}

TEST_F(StreamWindowTest, ReadsTheNextRowsAhead) {
  ASSERT_EQ(window_.Use(12 * kWindowBytes, 4 * kWindowBytes), 0);
  for (int64_t row = 0; row < 5; ++row) Read(block_, 7 * row * kChunkPages);
  EXPECT_GT(window_.TakeReadBytes(), 5 * kChunk);
  Read(block_, 7 * 5 * kChunkPages);
  EXPECT_EQ(window_.TakeReadBytes(), 0);
}

TEST_F(StreamWindowTest, ReleasesTheChunksOfOneBlockAlone) {
  Block other{.id = 2, .size_bytes = kChunk, .place = {1, 5 * kWindowBytes}};
  WriteFile(other);
  Write(block_, 5, 'x');
  Write(other, 3, 'y');
  ASSERT_EQ(window_.Release(other), 0);
  EXPECT_EQ(InFile(other, 3), 'y');
  EXPECT_EQ(InFile(block_, 5), 5);
  EXPECT_EQ(*AddressOf(block_, 5), 'x');  // still mapped
}

TEST_F(StreamWindowTest, DoesNotReadPastTheEndOfABlock) {
  Block small{.id = 3, .size_bytes = 3 * kPage, .place = {1, 5 * kWindowBytes}};
  WriteFile(small);
  EXPECT_EQ(Read(small, 2), 2);
  EXPECT_EQ(window_.TakeReadBytes(), 3 * kPage);
}

TEST_F(StreamWindowTest, MovingTheWindowWritesChangesBack) {
  Write(block_, 9, 'x');
  ASSERT_EQ(window_.Use(kWindowBytes, kWindowBytes / 2), 0);
  EXPECT_EQ(InFile(block_, 9), 'x');
  client_.tiers()[0].base[0] = 'z';  // no longer the window's
  EXPECT_EQ(Read(block_, 9), 'x');
  EXPECT_EQ(Read(block_, 8), 8);
}

TEST_F(StreamWindowTest, ReportsAFileThatCannotBeRead) {
  Block beyond{
      .id = 4, .size_bytes = kPage, .place = {1, slow_.info.capacity_bytes}};
  EXPECT_NE(Fault(beyond, 0, Access::kRead), 0);
}

TEST(StreamWindowSizeTest, IsA400thOfTheLimitWithinBounds) {
  EXPECT_EQ(StreamWindow::BytesFor(1 << 20), 256 << 10);
  EXPECT_EQ(StreamWindow::BytesFor(int64_t{4} << 30), 10739712);
  EXPECT_EQ(StreamWindow::BytesFor(int64_t{64} << 30), 64 << 20);
}

}  // namespace
}  // namespace stowage::runtime
