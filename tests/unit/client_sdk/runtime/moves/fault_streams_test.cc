#include "client_sdk/runtime/moves/fault_streams.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr uint64_t kBlock = 7;

class FaultStreamsTest : public testing::Test {
 protected:
  FaultStreamsTest() { streams_.Begin(/*room=*/1000, /*most_batch=*/8); }

  // As a window does that brings in a batch for each fault.
  FaultStreams::Stream& Note(int64_t chunk, uint64_t block = kBlock) {
    FaultStreams::Stream& stream = streams_.Note(block, chunk);
    if (stream.moved_on) {
      stream.at = stream.direction > 0
                      ? ChunkRange{chunk, chunk + stream.batch}
                      : ChunkRange{chunk + 1 - stream.batch, chunk + 1};
    }
    return stream;
  }

  FaultStreams streams_;
};

TEST_F(FaultStreamsTest, OneFaultIsNoStreamYet) {
  const FaultStreams::Stream& stream = Note(5);
  EXPECT_FALSE(stream.moved_on);
  EXPECT_EQ(stream.direction, 0);
  EXPECT_EQ(stream.batch, 1);
}

TEST_F(FaultStreamsTest, TheNextChunkMakesAStreamThatGrows) {
  Note(5);
  EXPECT_EQ(Note(6).batch, 2);
  const FaultStreams::Stream& stream = Note(8);
  EXPECT_TRUE(stream.moved_on);
  EXPECT_EQ(stream.direction, 1);
  EXPECT_EQ(stream.batch, 4);
  EXPECT_EQ(stream.passed.begin, 6);
  EXPECT_EQ(stream.passed.end, 8);
}

TEST_F(FaultStreamsTest, BatchesStopGrowingWhereTheyMustNotBeLarger) {
  int64_t chunk = 0;
  for (int i = 0; i < 20; ++i) chunk = Note(chunk).at.end;
  EXPECT_EQ(Note(chunk).batch, 8);
}

TEST_F(FaultStreamsTest, AChannelOfManyImagesIsAsManyStreams) {
  constexpr int64_t kImages = 96;
  streams_.Begin(/*room=*/1000, /*most_batch=*/1);
  for (int64_t chunk = 0; chunk < 3; ++chunk) {
    for (int64_t image = 0; image < kImages; ++image) {
      EXPECT_EQ(Note(1000 * image + chunk).moved_on, chunk > 0);
    }
  }
}

TEST_F(FaultStreamsTest, OnePieceComesInAheadOfEachOfManyStreams) {
  streams_.Begin(/*room=*/64, /*most_batch=*/8);
  for (int64_t chunk = 0; chunk < 3; ++chunk) Note(chunk);
  EXPECT_EQ(streams_.PiecesAhead(), 2);
  const auto sweep = [this](int64_t images) {
    for (int64_t chunk = 0; chunk < 3; ++chunk) {
      for (int64_t image = 0; image < images; ++image)
        Note(1000 * image + chunk);
    }
  };
  sweep(16);
  EXPECT_EQ(streams_.PiecesAhead(), 1);
  sweep(32);
  EXPECT_EQ(streams_.PiecesAhead(), 0);
}

TEST_F(FaultStreamsTest, StreamsShareTheRoom) {
  streams_.Begin(/*room=*/64, /*most_batch=*/1000);
  int64_t chunk = 0;
  for (int i = 0; i < 20; ++i) chunk = Note(chunk).at.end;
  const int64_t alone = Note(chunk).batch;
  int64_t other = 100'000;
  for (int i = 0; i < 20; ++i) {
    chunk = Note(chunk).at.end;
    other = Note(other).at.end;
  }
  EXPECT_EQ(Note(chunk).batch, alone / 2);
  for (int i = 0; i < 200; ++i) chunk = Note(chunk).at.end;  // the other ended
  EXPECT_EQ(Note(chunk).batch, alone);
}

TEST_F(FaultStreamsTest, AStreamMayGoDown) {
  Note(50);
  Note(49);
  const FaultStreams::Stream& stream = Note(47);
  EXPECT_EQ(stream.direction, -1);
  EXPECT_EQ(stream.batch, 4);
  EXPECT_EQ(stream.at.begin, 44);
}

TEST_F(FaultStreamsTest, AFaultWhereTheStreamIsDoesNotMoveIt) {
  Note(5);
  Note(6);
  const FaultStreams::Stream& stream = Note(7);
  EXPECT_FALSE(stream.moved_on);
  EXPECT_EQ(stream.batch, 2);
}

TEST_F(FaultStreamsTest, AStreamGoesOnBeyondWhatIsMapped) {
  Note(5);
  Note(6).next = 10;
  EXPECT_TRUE(Note(10).moved_on);
}

TEST_F(FaultStreamsTest, AStreamDoesNotLeapToTheNextRow) {
  Note(5);
  Note(6).next = 10;
  EXPECT_FALSE(Note(11).moved_on);
  EXPECT_FALSE(Note(500).moved_on);
}

TEST_F(FaultStreamsTest, StreamsOfThreadsAndBlocksAreKeptApart) {
  for (int64_t i = 0; i < 3; ++i) {
    Note(i);
    Note(100 + i);
    Note(i, kBlock + 1);
  }
  EXPECT_EQ(Note(3).passed.end, 3);
  EXPECT_EQ(Note(103).passed.end, 103);
  EXPECT_EQ(Note(3, kBlock + 1).block_id, kBlock + 1);
}

TEST_F(FaultStreamsTest, StraysDoNotEndAStreamThatGoesOn) {
  int64_t chunk = 0;
  for (int i = 0; i < 100; ++i) {
    chunk = Note(chunk).at.end;
    for (int64_t stray = 0; stray < 10; ++stray) {
      Note(100'000 + 1000 * (10 * i + stray));
    }
  }
  EXPECT_EQ(Note(chunk).batch, 8);
}

}  // namespace
}  // namespace stowage::runtime
