#include "server/placement/call_both.h"

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(CallBothTest, CallsBothAtTheSameTime) {
  absl::Notification first, second;
  CallBothAtOnce(
      [&] {
        first.Notify();
        second.WaitForNotification();
      },
      [&] {
        second.Notify();
        first.WaitForNotification();
      });
  EXPECT_TRUE(first.HasBeenNotified() && second.HasBeenNotified());
}

}  // namespace
}  // namespace stowage
