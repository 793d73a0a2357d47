#include "client_sdk/runtime/stream_window.h"

#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "client_sdk/runtime/tier_copy.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kPage = session::kPageBytes;

// The smallest window; its chunks have four pages.
constexpr int64_t kChunkPages = 4;
constexpr int64_t kChunk = kChunkPages * kPage;
const int64_t kWindowBytes = StreamWindow::BytesFor(0);
const int64_t kFrames = kWindowBytes / kChunk;

// Faults are called, not raised: the test stands in for the handler.
class StreamWindowTest : public testing::Test {
 protected:
  StreamWindowTest()
      : agent_(
            {.fast_bytes = 8 * kWindowBytes, .slow_bytes = 8 * kWindowBytes}) {}
  void SetUp() override {
    ASSERT_EQ(client_.Connect(agent_.socket_path(), FakeAgent::Hello()), "");
    slow_ = client_.tiers()[1];
    ASSERT_EQ(window_.Use(0, kWindowBytes), 0);
    // Four times the window.
    block_ = {.id = 1, .size_bytes = 4 * kWindowBytes, .place = {1, 2 * kPage}};
    WriteFile(block_);
  }

  // Each byte of page p of the block holds `p`.
  void WriteFile(const Block& block) {
    char* buffer = client_.tiers()[0].base + kBuffer;
    for (int64_t page = 0; page < block.room_bytes() / kPage; ++page) {
      std::fill_n(buffer + page * kPage, kPage, static_cast<char>(page));
    }
    ASSERT_EQ(CopyBetweenTiers(client_.tiers(), {0, kBuffer}, block.place,
                               block.room_bytes()),
              0);
  }
  char* AddressOf(const Block& block, int64_t page) {
    return slow_.base + block.place.offset_bytes + page * kPage;
  }
  // Reads, as a kernel would.
  char Read(const Block& block, int64_t page) {
    EXPECT_EQ(window_.Fault(block, AddressOf(block, page)), 0);
    return *AddressOf(block, page);
  }
  void Write(const Block& block, int64_t page, char value) {
    Read(block, page);
    EXPECT_EQ(window_.Fault(block, AddressOf(block, page)), 0);
    *AddressOf(block, page) = value;
  }
  // What the file holds, past the window.
  char InFile(const Block& block, int64_t page) {
    char* buffer = client_.tiers()[0].base + kBuffer;
    EXPECT_EQ(ReadFileTier(slow_, block.place.offset_bytes + page * kPage,
                           buffer, kPage),
              0);
    return *buffer;
  }

  // Beyond the window in the fast tier.
  static inline const int64_t kBuffer = 2 * kWindowBytes;

  FakeAgent agent_;
  SessionClient client_;
  MappedTier slow_;
  Block block_;
  StreamWindow window_{&client_.tiers()};
};

TEST_F(StreamWindowTest, ReadsTheChunkThatFaulted) {
  EXPECT_EQ(Read(block_, 7), 7);
  EXPECT_EQ(*AddressOf(block_, 4), 4);  // of the same chunk
  EXPECT_EQ(Read(block_, 63), 63);
  EXPECT_EQ(window_.TakeReadBytes(), 2 * kChunk);
  EXPECT_EQ(window_.TakeReadBytes(), 0);
}

TEST_F(StreamWindowTest, WritesBackWhatWasChangedAndOnlyThat) {
  Read(block_, 1 * kChunkPages);
  Write(block_, 2 * kChunkPages, 'x');
  EXPECT_EQ(InFile(block_, 2 * kChunkPages), 2 * kChunkPages);  // not yet
  ASSERT_EQ(window_.Release(block_), 0);
  EXPECT_EQ(InFile(block_, 2 * kChunkPages), 'x');
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
  for (int64_t chunk = 0; chunk < kFrames; ++chunk) {
    Read(block_, chunk * kChunkPages);
  }
  for (int64_t chunk = 0; chunk < kFrames; ++chunk) {  // all still mapped
    const int64_t page = chunk * kChunkPages;
    EXPECT_EQ(*AddressOf(block_, page), static_cast<char>(page));
  }
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
  EXPECT_NE(window_.Fault(beyond, slow_.base + beyond.place.offset_bytes), 0);
}

TEST(StreamWindowSizeTest, IsA400thOfTheLimitWithinBounds) {
  EXPECT_EQ(StreamWindow::BytesFor(1 << 20), 256 << 10);
  EXPECT_EQ(StreamWindow::BytesFor(int64_t{4} << 30), 10739712);
  EXPECT_EQ(StreamWindow::BytesFor(int64_t{64} << 30), 64 << 20);
}

}  // namespace
}  // namespace stowage::runtime
