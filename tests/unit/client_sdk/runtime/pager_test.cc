// Makes system calls on evicted tensors, served by a real pager. It is started
// once, so all tests share one process.
#include "client_sdk/runtime/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "client_sdk/runtime/fault_handler.h"
#include "client_sdk/runtime/fork_guard.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

// Returns where two texts first differ; -1: nowhere.
int64_t FirstDifference(const std::string& a, const std::string& b) {
  const auto [at, other] =
      std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return at == a.end() && other == b.end() ? -1 : at - a.begin();
}

class PagerTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    process_ = new FakeProcess({.fast_bytes = 40 * kUnit,
                                .slow_bytes = 100 * kUnit,
                                .limit_bytes = 8 * kUnit},
                               {.demand_only = true});
    InstallFaultHandler(&process_->job());
    InstallForkGuard(&process_->job(), &process_->client(), [] {});
    started_ = StartPager(&process_->job(), process_->client());
  }

  void SetUp() override {
    if (!started_) GTEST_SKIP() << "this host does not allow it";
    // Larger than the fast arena.
    large_ = process_->New(10 * kUnit);
    ASSERT_FALSE(large_->fast());
    // On a file system that takes direct I/O.
    path_ = STOWAGE_BINARY_DIR "/pager-XXXXXX";
    fd_ = mkstemp(path_.data());
    for (int64_t i = 0; i < size(); ++i) content_ += static_cast<char>(i / 511);
    ASSERT_EQ(pwrite(fd_, content_.data(), size(), 0), size());
  }
  void TearDown() override {
    if (!started_) return;
    close(fd_);
    unlink(path_.c_str());
  }

  int64_t size() const { return large_->size_bytes; }
  char* bytes() const { return large_->storage.address; }
  std::string Bytes() const { return {bytes(), static_cast<size_t>(size())}; }

  static inline FakeProcess* process_ = nullptr;  // ends with the test process
  static inline bool started_ = false;
  TensorPtr large_;
  std::string path_, content_;
  int fd_ = -1;
};

TEST_F(PagerTest, ASystemCallReadsIntoAnEvictedTensor) {
  EXPECT_EQ(pread(fd_, bytes(), size(), 0), size());
  EXPECT_EQ(FirstDifference(Bytes(), content_), -1);
}

TEST_F(PagerTest, ASystemCallWritesFromAnEvictedTensor) {
  ASSERT_TRUE(FakeProcess::Intact(*large_));
  EXPECT_EQ(pwrite(fd_, bytes(), size(), 0), size());
  std::string written(size(), '\0');
  EXPECT_EQ(pread(fd_, written.data(), size(), 0), size());
  EXPECT_EQ(FirstDifference(written, Bytes()), -1);
}

TEST_F(PagerTest, PagesThatWereReadCanBeWritten) {
  EXPECT_TRUE(FakeProcess::Intact(*large_));
  const std::string before = Bytes();
  EXPECT_EQ(pread(fd_, bytes() + 100, 50, 0), 50);
  EXPECT_TRUE(FakeProcess::Intact(*process_->New(kUnit)));
  EXPECT_EQ(
      FirstDifference(Bytes(), before.substr(0, 100) + content_.substr(0, 50) +
                                   before.substr(150)),
      -1);
}

TEST_F(PagerTest, WhatASystemCallWroteMovesWithTheTensor) {
  TensorPtr small = process_->New(kUnit);
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process_->New(kUnit));
  ASSERT_FALSE(small->fast());
  ASSERT_EQ(pread(fd_, small->storage.address, kUnit, 0), kUnit);
  process_->job().Pin(&small->storage);
  ASSERT_TRUE(small->fast());
  EXPECT_EQ(memcmp(small->storage.address, content_.data(), kUnit), 0);
}

TEST_F(PagerTest, KernelsStreamTheTensorBetweenSystemCalls) {
  for (int i = 0; i < 3; ++i) {
    process_->Run("reads", {.reads = {large_.get()}});
    process_->Run("writes", {.writes = {large_.get()}});
    EXPECT_TRUE(FakeProcess::Intact(*large_));
    EXPECT_EQ(pwrite(fd_, bytes(), size(), 0), size());
  }
}

TEST_F(PagerTest, KernelsGiveBirthInTheFileTier) {
  const std::vector<TensorPtr> born =
      process_->Run("births", {.births = {9 * kUnit}});
  ASSERT_FALSE(born[0]->fast());
  EXPECT_FALSE(born[0]->block->streams);
  EXPECT_EQ(pwrite(fd_, born[0]->storage.address, 9 * kUnit, 0), 9 * kUnit);
  EXPECT_TRUE(FakeProcess::Intact(*born[0]));
}

TEST_F(PagerTest, ThreadsThatTakePagesFromEachOtherLoseNothing) {
  constexpr int kThreads = 6;
  const int64_t part = size() / kThreads / kPage * kPage;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([this, part, i] {
      const int64_t begin = i * part;
      for (int pass = 0; pass < 3; ++pass) {
        for (int64_t at = begin; at < begin + part; at += 3 * kPage) {
          const int64_t n = std::min(3 * kPage, begin + part - at);
          ASSERT_EQ(pread(fd_, bytes() + at, n, at), n);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(FirstDifference(Bytes().substr(0, kThreads * part),
                            content_.substr(0, kThreads * part)),
            -1);
}

// A device must not write to pages that are no longer the tensor's.
TEST_F(PagerTest, ADirectReadOfMoreThanThereIsRoomForStopsAndLosesNothing) {
  const int direct = open(path_.c_str(), O_RDONLY | O_DIRECT);
  ASSERT_GE(direct, 0);
  const ssize_t got = pread(direct, bytes(), size(), 0);
  close(direct);
  const int64_t done = std::max<ssize_t>(got, 0);
  EXPECT_EQ(FirstDifference(Bytes().substr(0, done), content_.substr(0, done)),
            -1);
  // Nor is anything stuck.
  EXPECT_EQ(pread(fd_, bytes(), size(), 0), size());
  EXPECT_EQ(FirstDifference(Bytes(), content_), -1);
}

TEST_F(PagerTest, AddressesOfNoTensorFailAsEver) {
  char* address = bytes();
  large_.reset();
  EXPECT_EQ(pread(fd_, address, 100, 0), -1);
  EXPECT_EQ(errno, EFAULT);
  // The next tensor there is usable all the same.
  large_ = process_->New(10 * kUnit);
  EXPECT_TRUE(FakeProcess::Intact(*large_));
}

// The pager has a table of descriptors of its own, which thread sanitizers do
// not know of: so they must not see this.
TEST_F(PagerTest, AProgramMayCloseEveryDescriptor) {
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    if (read_symlink(entry.path(), error) == "anon_inode:[userfaultfd]") {
      syscall(SYS_close, std::stoi(entry.path().filename()));
    }
  }
  EXPECT_TRUE(FakeProcess::Intact(*large_));
}

using PagerDeathTest = PagerTest;

TEST_F(PagerDeathTest, AForkedChildHasNoZerosWhereNothingIs) {
  char* nowhere = bytes();
  large_.reset();
  EXPECT_DEATH(
      {
        const pid_t child = fork();
        if (child == 0) {
          const char read = *static_cast<volatile char*>(nowhere);
          _exit(read);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status)) abort();
      },
      "");
}

}  // namespace
}  // namespace stowage::runtime
