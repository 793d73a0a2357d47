#include "client_sdk/runtime/blocks/file_requests.h"

#include <errno.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_agent.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

class FileRequestsTest : public testing::Test {
 protected:
  char* Memory(int64_t page) { return agent_.tiers()[0].base + page * kPage; }
  void Begin(FileRequest::Direction direction, int64_t file_page,
             int64_t memory_page, int64_t pages, FileRequest* request) {
    requests_.Begin(direction, file_, file_page * kPage, Memory(memory_page),
                    pages * kPage, request);
  }

  FakeAgent agent_{{}};
  MappedTier file_ = agent_.tiers()[1];
  FileRequests requests_;
};

TEST_F(FileRequestsTest, ReadsWhatItWrote) {
  std::fill_n(Memory(0), 3 * kPage, 'x');
  FileRequest out, in;
  Begin(FileRequest::kWrite, 5, 0, 3, &out);
  ASSERT_EQ(requests_.Finish(&out), 0);
  Begin(FileRequest::kRead, 5, 10, 3, &in);
  ASSERT_EQ(requests_.Finish(&in), 0);
  EXPECT_EQ(std::count(Memory(10), Memory(13), 'x'), 3 * kPage);
}

TEST_F(FileRequestsTest, FinishesInAnyOrderMoreThanTheKernelTakesAtATime) {
  constexpr int kMany = 1000;
  std::vector<FileRequest> requests(kMany);
  for (int i = 0; i < kMany; ++i) *Memory(i) = static_cast<char>(i);
  for (int i = 0; i < kMany; ++i) {
    Begin(FileRequest::kWrite, i, i, 1, &requests[i]);
  }
  for (int i = kMany; i-- > 0;) ASSERT_EQ(requests_.Finish(&requests[i]), 0);
  for (int i = 0; i < kMany; ++i) {
    FileRequest in;
    Begin(FileRequest::kRead, i, kMany, 1, &in);
    ASSERT_EQ(requests_.Finish(&in), 0);
    ASSERT_EQ(*Memory(kMany), static_cast<char>(i));
  }
}

TEST_F(FileRequestsTest, WhatIsPreparedBeginsWithTheNextCall) {
  constexpr int kMany = 100;  // more than begin at once
  std::vector<FileRequest> requests(kMany);
  for (int i = 0; i < kMany; ++i) {
    *Memory(i) = static_cast<char>(i);
    requests_.Prepare(FileRequest::kWrite, file_, i * kPage, Memory(i), kPage,
                      &requests[i]);
  }
  EXPECT_LT(requests.back().ticket.slot, 0);
  requests_.Submit();
  for (FileRequest& request : requests)
    ASSERT_EQ(requests_.Finish(&request), 0);
  FileRequest in;
  requests_.Prepare(FileRequest::kRead, file_, 0, Memory(kMany), kMany * kPage,
                    &in);
  ASSERT_EQ(requests_.Finish(&in), 0);
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(*Memory(kMany + i), static_cast<char>(i));
  }
}

TEST_F(FileRequestsTest, TellsWhenATransferIsOver) {
  FileRequest request;
  Begin(FileRequest::kRead, 0, 0, 1, &request);
  while (!requests_.Done(request)) {
  }
  EXPECT_TRUE(request.begun);
  EXPECT_EQ(requests_.Finish(&request), 0);
}

TEST_F(FileRequestsTest, ThreadsThatWaitLearnOfTheirTransferWhoeverTakesIt) {
  constexpr int kThreads = 4, kRounds = 500;
  std::mutex mutex;
  const auto run = [&](int thread) {
    FileRequest request;
    for (int round = 0; round < kRounds; ++round) {
      std::unique_lock lock(mutex);
      Begin(FileRequest::kRead, thread, thread, 1, &request);
      if (!requests_.Done(request)) {
        lock.unlock();
        requests_.Await(request.ticket);
        lock.lock();
      }
      ASSERT_EQ(requests_.Finish(&request), 0);
      // The owner of the mutex waits beside the others, too.
      Begin(FileRequest::kRead, thread, thread, 1, &request);
      ASSERT_EQ(requests_.Finish(&request), 0);
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (std::thread& thread : threads) thread.join();
}

TEST_F(FileRequestsTest, NobodyWaitsForTheDeviceWhileItIsHeld) {
  requests_.Hold();
  FileRequest request;
  Begin(FileRequest::kRead, 0, 0, 1, &request);
  EXPECT_FALSE(requests_.Done(request));
  std::thread waits([&] { requests_.Await(request.ticket); });
  requests_.LetGo();
  waits.join();
  EXPECT_EQ(requests_.Finish(&request), 0);
}

TEST_F(FileRequestsTest, AFileThatEndsEarlyIsAnInputOutputError) {
  const int64_t end_page = file_.info.capacity_bytes / kPage;
  FileRequest request;
  Begin(FileRequest::kRead, end_page - 1, 0, 2, &request);
  EXPECT_EQ(requests_.Finish(&request), EIO);
  EXPECT_FALSE(request.begun);
}

TEST_F(FileRequestsTest, SaysWhyATransferFailed) {
  file_.fd = -1;
  FileRequest request;
  Begin(FileRequest::kRead, 0, 0, 1, &request);
  EXPECT_EQ(requests_.Finish(&request), EBADF);
}

}  // namespace
}  // namespace stowage::runtime
