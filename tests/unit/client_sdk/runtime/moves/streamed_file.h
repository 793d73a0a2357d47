// Gives tests a window, and a file of four times its size that streams through it.
//
//   class StreamWindowTest : public StreamedFile {};
//
// Its tests fault on pages of `block_`, which hold their numbers.
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_MOVES_STREAMED_FILE_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_MOVES_STREAMED_FILE_H_

#include <algorithm>
#include <cstdint>

#include "client_sdk/runtime/blocks/tier_copy.h"
#include "client_sdk/runtime/moves/stream_window.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/sizes.h"
#include "tests/unit/client_sdk/runtime/wait_for_fault.h"

namespace stowage::runtime {

// The smallest window; its chunks have four pages.
constexpr int64_t kChunkPages = 4;
constexpr int64_t kChunk = kChunkPages * kPage;
const int64_t kWindowBytes = StreamWindow::BytesFor(0);
const int64_t kFrames = kWindowBytes / kChunk;

// Calls faults instead of raising them: the test stands in for the handler.
class StreamedFile : public testing::Test {
 protected:
  explicit StreamedFile(int64_t fast_bytes = 16 * kWindowBytes,
                        int64_t slow_bytes = 8 * kWindowBytes)
      : agent_({.fast_bytes = fast_bytes, .slow_bytes = slow_bytes}) {}
  void SetUp() override {
    ASSERT_EQ(client_.Connect(agent_.socket_path(), FakeAgent::Hello()), "");
    slow_ = client_.tiers()[1];
    ASSERT_EQ(window_.Use(0, kWindowBytes), 0);
    // Four times the window.
    block_ = {.id = 1, .size_bytes = 4 * kWindowBytes, .place = {1, 2 * kPage}};
    WriteFile(block_);
  }

  // Fills the file: each byte of page p of the block holds `p`.
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
  int Fault(Block& block, int64_t page, Access access) {
    return WaitForFault(&window_, [&](bool again) {
      return window_.Fault(&block, AddressOf(block, page), access, again);
    });
  }
  // Reads as a kernel would.
  char Read(Block& block, int64_t page) {
    EXPECT_EQ(Fault(block, page, Access::kRead), 0);
    return *AddressOf(block, page);
  }
  void Write(Block& block, int64_t page, char value) {
    EXPECT_EQ(Fault(block, page, Access::kWrite), 0);
    *AddressOf(block, page) = value;
  }
  // Returns what the file holds, past the window.
  char InFile(const Block& block, int64_t page) {
    char* buffer = client_.tiers()[0].base + kBuffer;
    EXPECT_EQ(ReadFileTier(slow_, block.place.offset_bytes + page * kPage,
                           buffer, kPage),
              0);
    return *buffer;
  }

  // An offset beyond the window in the fast tier.
  static inline const int64_t kBuffer = 2 * kWindowBytes;

  FakeAgent agent_;
  SessionClient client_;
  MappedTier slow_;
  Block block_;
  StreamWindow window_{&client_.tiers()};
};

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_MOVES_STREAMED_FILE_H_
