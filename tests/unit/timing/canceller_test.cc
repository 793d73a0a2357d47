#include "timing/canceller.h"

#include <gtest/gtest.h>

namespace stowage {
namespace {

TEST(CancellerTest, EndsTheCallsUnderWayOnce) {
  Canceller canceller;
  int first = 0;
  int second = 0;
  const Canceller::Call one(&canceller, [&first] { ++first; });
  const Canceller::Call other(&canceller, [&second] { ++second; });
  EXPECT_FALSE(canceller.cancelled());
  canceller.Cancel();
  canceller.Cancel();
  EXPECT_TRUE(canceller.cancelled());
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST(CancellerTest, EndsACallThatBeginsLater) {
  Canceller canceller;
  canceller.Cancel();
  int ended = 0;
  const Canceller::Call call(&canceller, [&ended] { ++ended; });
  EXPECT_EQ(ended, 1);
}

TEST(CancellerTest, LeavesACallThatHasEndedAlone) {
  Canceller canceller;
  int ended = 0;
  {
    const Canceller::Call call(&canceller, [&ended] { ++ended; });
  }
  canceller.Cancel();
  EXPECT_EQ(ended, 0);
}

TEST(CancellerTest, WithoutOneACallIsNeverCancelled) {
  int ended = 0;
  {
    const Canceller::Call call(nullptr, [&ended] { ++ended; });
  }
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace stowage
