#include "client_sdk/runtime/process/long_wait.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(LongWaitTest, SaysSoAfterTenSecondsAndThenOnceAMinute) {
  testing::internal::CaptureStderr();
  LongWait wait("a tensor", /*now_ns=*/0);
  int lines = 0;
  for (int64_t now_ns = 0; now_ns < 200'000'000'000; now_ns += 20'000'000) {
    if (wait.Look(now_ns)) ++lines;
    EXPECT_EQ(lines > 0, now_ns >= LongWait::kFirstNs);
  }
  EXPECT_EQ(lines, 4);  // at 10, 70, 130 and 190 s
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("waiting for a tensor, for 10 s by now"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace stowage::runtime
