#include "client_sdk/preload/bounce.h"

#include <limits.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/preload/slow_memory.h"

namespace stowage::preload {
namespace {

class BounceTest : public testing::Test {
 protected:
  // "abc", nothing, "defgh".
  char first_[4] = "abc";
  char second_[6] = "defgh";
  iovec iov_[3] = {{first_, 3}, {nullptr, 0}, {second_, 5}};
  Parts parts_{iov_, 3};
};

TEST_F(BounceTest, GathersFromAnyByteOn) {
  char to[10] = {};
  EXPECT_EQ(Gather(parts_, 2, to, 4), 4);
  EXPECT_EQ(std::string(to), "cdef");
  EXPECT_EQ(Gather(parts_, 6, to, 10), 2);
  EXPECT_EQ(std::string(to, 2), "gh");
  EXPECT_EQ(Gather(parts_, 8, to, 10), 0);
}

TEST_F(BounceTest, ScattersFromAnyByteOn) {
  EXPECT_EQ(Scatter(parts_, 1, "1234", 4), 4);
  EXPECT_EQ(std::string(first_), "a12");
  EXPECT_EQ(std::string(second_), "34fgh");
}

TEST_F(BounceTest, LeavesToTheKernelWhatItRefuses) {
  const SlowMemory memory(kPageBytes);
  iovec iov[2] = {{memory.data(), 1}, {memory.data(), SSIZE_MAX}};
  EXPECT_TRUE(TouchesSlowRange({iov, 1}));
  EXPECT_FALSE(TouchesSlowRange({iov, 2}));
  EXPECT_FALSE(TouchesSlowRange({iov, -1}));
  const std::vector<iovec> many(IOV_MAX + 1, iov[0]);
  EXPECT_FALSE(TouchesSlowRange({many.data(), IOV_MAX + 1}));
}

TEST_F(BounceTest, WhatPrecedesAnErrorIsTheResult) {
  const SlowMemory memory(kManyPieces);
  const iovec part{memory.data(), memory.size()};
  int calls = 0;
  const auto fail_second = [&](char*, size_t bytes, size_t) -> ssize_t {
    return ++calls == 1 ? static_cast<ssize_t>(bytes) : -1;
  };
  EXPECT_EQ(ReadInPieces({&part, 1}, true, fail_second), Bounce::kBytes);
  EXPECT_EQ(ReadInPieces({&part, 1}, true, fail_second), -1);
  calls = 0;
  EXPECT_EQ(WriteInPieces({&part, 1}, fail_second), Bounce::kBytes);
  EXPECT_EQ(WriteInPieces({&part, 1}, fail_second), -1);
}

TEST_F(BounceTest, AReadThatDoesNotFillIsOnePiece) {
  const SlowMemory memory(kManyPieces);
  const iovec part{memory.data(), memory.size()};
  const auto whole = [](char*, size_t bytes, size_t) -> ssize_t {
    return bytes;
  };
  EXPECT_EQ(ReadInPieces({&part, 1}, false, whole), Bounce::kBytes);
  EXPECT_EQ(ReadInPieces({&part, 1}, true, whole), kManyPieces);
}

TEST_F(BounceTest, KeepsTheErrorOfTheCall) {
  errno = 0;
  {
    const Bounce held, second;
    ASSERT_NE(held.data(), second.data());
    errno = EAGAIN;
  }
  EXPECT_EQ(errno, EAGAIN);
}

}  // namespace
}  // namespace stowage::preload
