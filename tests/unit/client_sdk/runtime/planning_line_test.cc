#include "client_sdk/runtime/planning_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

using ::testing::EndsWith;

constexpr int64_t kSecondNs = 1'000'000'000;

// Both ends of a terminal.
class PlanningLineTest : public testing::Test {
 protected:
  PlanningLineTest() : user_(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    EXPECT_EQ(grantpt(user_), 0);
    EXPECT_EQ(unlockpt(user_), 0);
    program_ = open(ptsname(user_), O_RDWR | O_NOCTTY);
  }
  ~PlanningLineTest() override {
    close(program_);
    close(user_);
  }

  // Returns what the user has seen since the last call.
  std::string Seen() {
    char text[4096];
    const ssize_t size = read(user_, text, sizeof(text));
    return size > 0 ? std::string(text, size) : "";
  }

  int user_;
  int program_;
};

TEST_F(PlanningLineTest, CountsSecondsInOneLine) {
  PlanningLine line(/*kind=*/2, program_, /*now_ns=*/0);
  line.Look(kSecondNs / 4);
  EXPECT_EQ(Seen(), "");
  line.Look(3 * kSecondNs);
  EXPECT_EQ(Seen(), "\r\033[Kstowage: planning step kind 2 ... 3 s");
  line.Look(3 * kSecondNs + 1);
  EXPECT_EQ(Seen(), "");
  line.Look(4 * kSecondNs);
  EXPECT_THAT(Seen(), EndsWith("4 s"));
}

TEST_F(PlanningLineTest, IsGoneWhenTheWaitIsOver) {
  { PlanningLine(/*kind=*/0, program_, /*now_ns=*/0).Look(kSecondNs); }
  EXPECT_THAT(Seen(), EndsWith("\r\033[K"));
}

TEST_F(PlanningLineTest, AShortWaitLeavesNoTrace) {
  { PlanningLine(/*kind=*/0, program_, /*now_ns=*/0).Look(kSecondNs / 4); }
  EXPECT_EQ(Seen(), "");
}

TEST_F(PlanningLineTest, LogsGetNothing) {
  int pipe[2];
  ASSERT_EQ(pipe2(pipe, O_NONBLOCK), 0);
  { PlanningLine(/*kind=*/0, pipe[1], /*now_ns=*/0).Look(3 * kSecondNs); }
  close(pipe[1]);
  char byte;
  EXPECT_EQ(read(pipe[0], &byte, 1), 0);
  close(pipe[0]);
}

}  // namespace
}  // namespace stowage::runtime
