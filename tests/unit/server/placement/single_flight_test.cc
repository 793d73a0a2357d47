#include "server/placement/single_flight.h"

#include <atomic>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(SingleFlightTest, CallersWhoComeWhileTheWorkIsDoneShareItsResult) {
  SingleFlight<int> flights;
  absl::Notification working;
  absl::Notification released;
  std::atomic<int> runs = 0;
  std::thread first([&] {
    EXPECT_EQ(flights.Do("key",
                         [&] {
                           ++runs;
                           working.Notify();
                           released.WaitForNotification();
                           return 7;
                         }),
              7);
  });
  working.WaitForNotification();
  std::thread second([&] {
    // Whether it shares the first run or comes after it, it must not run
    // beside it.
    const int result = flights.Do("key", [&] {
      EXPECT_TRUE(released.HasBeenNotified());
      return 7;
    });
    EXPECT_EQ(result, 7);
  });
  // Another key is not held up.
  EXPECT_EQ(flights.Do("other", [] { return 1; }), 1);
  EXPECT_EQ(runs, 1);
  released.Notify();
  first.join();
  second.join();
}

TEST(SingleFlightTest, RemembersNothingAfterwards) {
  SingleFlight<int> flights;
  EXPECT_EQ(flights.Do("key", [] { return 1; }), 1);
  EXPECT_EQ(flights.Do("key", [] { return 2; }), 2);
}

TEST(SingleFlightTest, NeverRunsOneKeyTwiceAtTheSameTime) {
  SingleFlight<int> flights;
  std::atomic<int> running = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i) {
    callers.emplace_back([&] {
      for (int n = 0; n < 200; ++n) {
        flights.Do("key", [&] {
          EXPECT_EQ(++running, 1);
          --running;
          return n;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace stowage
