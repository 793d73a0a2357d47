#include "server/rpc/stream_workers.h"

#include <atomic>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(StreamWorkersTest, RunsWhatItIsGivenBeforeItGoes) {
  std::atomic<int> runs = 0;
  {
    StreamWorkers workers;
    for (int i = 0; i < 100; ++i) workers.Run([&] { ++runs; });
  }
  EXPECT_EQ(runs, 100);
}

TEST(StreamWorkersTest, OneThatTakesLongDoesNotHoldUpAnother) {
  StreamWorkers workers;
  absl::Notification ran;
  workers.Run([&] { ran.WaitForNotification(); });
  workers.Run([&] { ran.Notify(); });
  ran.WaitForNotification();
}

}  // namespace
}  // namespace stowage
