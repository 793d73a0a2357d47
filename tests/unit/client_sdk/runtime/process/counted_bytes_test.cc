#include "client_sdk/runtime/process/counted_bytes.h"

#include <barrier>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(CountedBytesTest, KnowsThePeakAfterBytesHaveGone) {
  CountedBytes bytes;
  bytes.Add(5);
  bytes.Add(3);
  bytes.Add(-6);
  bytes.Add(1);
  EXPECT_EQ(bytes.now(), 3);
  EXPECT_EQ(bytes.peak(), 8);
}

TEST(CountedBytesTest, ThePeakMissesNoneOfTheThreadsThatCountAtOnce) {
  constexpr int kThreads = 4, kRounds = 5000;
  std::vector<CountedBytes> rounds(kRounds);
  std::barrier together(kThreads);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (CountedBytes& bytes : rounds) {
        together.arrive_and_wait();
        bytes.Add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const CountedBytes& bytes : rounds) ASSERT_EQ(bytes.peak(), kThreads);
}

}  // namespace
}  // namespace stowage::runtime
