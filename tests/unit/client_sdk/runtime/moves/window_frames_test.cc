#include "client_sdk/runtime/moves/window_frames.h"

#include <vector>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

class WindowFramesTest : public testing::Test {
 protected:
  WindowFramesTest() { frames_.Begin(8); }

  WindowFrames frames_;
  Block block_{.id = 1};
  Block other_{.id = 2};
};

TEST_F(WindowFramesTest, FindsEveryChunkOfAPiece) {
  const StreamPiece& piece = frames_.Put(2, &block_, {10, 13});
  EXPECT_EQ(frames_.Find(1, 10), &piece);
  EXPECT_EQ(frames_.Find(1, 12), &piece);
  EXPECT_EQ(frames_.Find(1, 13), nullptr);
  EXPECT_EQ(frames_.Find(2, 10), nullptr);
  EXPECT_EQ(frames_.At(4), &piece);
  EXPECT_EQ(frames_.At(5), nullptr);
  EXPECT_EQ(frames_.FirstOf(piece), 2);
}

TEST_F(WindowFramesTest, ForgetsAPieceThatWasRemoved) {
  StreamPiece& piece = frames_.Put(0, &block_, {0, 4});
  const uint64_t number = piece.number;
  EXPECT_EQ(frames_.FindNumber(number), &piece);
  frames_.Remove(piece);
  EXPECT_EQ(frames_.Find(1, 0), nullptr);
  frames_.Put(0, &other_, {0, 4});
  EXPECT_EQ(frames_.FindNumber(number), nullptr);
  EXPECT_EQ(frames_.Find(1, 3), nullptr);
  EXPECT_EQ(frames_.Find(2, 3), frames_.At(0));
}

TEST_F(WindowFramesTest, FindsFreeFramesSideBySide) {
  frames_.Put(0, &block_, {0, 2});
  StreamPiece& middle = frames_.Put(2, &block_, {5, 6});
  frames_.Put(3, &block_, {7, 10});
  EXPECT_EQ(frames_.FindFree(2), 6);
  EXPECT_EQ(frames_.FindFree(3), WindowFrames::kNone);
  frames_.Remove(middle);
  EXPECT_EQ(frames_.free_count(), 3);
  EXPECT_EQ(frames_.FindFree(1), 2);
  EXPECT_EQ(frames_.FindFree(2), 6);
}

TEST_F(WindowFramesTest, EveryPieceMayBeRemovedOnTheWay) {
  for (int i = 0; i < 4; ++i) frames_.Put(2 * i, &block_, {10 * i, 10 * i + 2});
  std::vector<int64_t> begins;
  EXPECT_EQ(frames_.ForEach([&](StreamPiece& piece) {
    begins.push_back(piece.chunks.begin);
    frames_.Remove(piece);
    return 0;
  }),
            0);
  EXPECT_EQ(begins, (std::vector<int64_t>{0, 10, 20, 30}));
  EXPECT_EQ(frames_.free_count(), 8);
}

TEST_F(WindowFramesTest, AnErrorEndsTheWay) {
  frames_.Put(0, &block_, {0, 1});
  frames_.Put(1, &block_, {1, 2});
  int calls = 0;
  EXPECT_EQ(frames_.ForEach([&](StreamPiece&) {
    ++calls;
    return 5;
  }),
            5);
  EXPECT_EQ(calls, 1);
}

TEST_F(WindowFramesTest, ASmallerWindowHasFewerFrames) {
  frames_.Begin(3);
  EXPECT_EQ(frames_.FindFree(4), WindowFrames::kNone);
  EXPECT_EQ(frames_.FindFree(3), 0);
}

}  // namespace
}  // namespace stowage::runtime
