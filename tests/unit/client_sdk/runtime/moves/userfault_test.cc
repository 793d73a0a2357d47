#include "client_sdk/runtime/moves/userfault.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <thread>

#include "client_sdk/session/session.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

char* MapPages(int count) {
  return static_cast<char*>(mmap(nullptr, count * kPage, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

class UserfaultTest : public testing::Test {
 protected:
  void SetUp() override {
    userfault_ = Userfault::Open();
    if (userfault_ == nullptr) GTEST_SKIP() << "this host does not allow it";
    ASSERT_EQ(userfault_->Watch(watched_, 4 * kPage), 0);
  }

  std::unique_ptr<Userfault> userfault_;
  char* watched_ = MapPages(4);
  const std::string content_ = std::string(2 * kPage, 'x');
};

TEST_F(UserfaultTest, ASystemCallWaitsForThePage) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  std::thread writer([&] { EXPECT_EQ(write(fds[1], watched_ + 10, 5), 5); });
  Userfault::Fault fault;
  ASSERT_TRUE(userfault_->Next(&fault));
  EXPECT_EQ(fault.page, watched_);
  EXPECT_FALSE(fault.write);
  EXPECT_EQ(userfault_->Fill(watched_, kPage, content_.data(), true), 0);
  userfault_->Wake(watched_, kPage);
  writer.join();
  char received[5];
  EXPECT_EQ(read(fds[0], received, 5), 5);
  EXPECT_EQ(std::string(received, 5), "xxxxx");
  close(fds[0]);
  close(fds[1]);
}

TEST_F(UserfaultTest, AWriteToAReadOnlyPageIsAFault) {
  ASSERT_EQ(userfault_->Fill(watched_, kPage, content_.data(), true), 0);
  EXPECT_EQ(watched_[7], 'x');
  std::thread writer([&] { watched_[7] = 'y'; });
  Userfault::Fault fault;
  ASSERT_TRUE(userfault_->Next(&fault));
  EXPECT_TRUE(fault.write);
  EXPECT_EQ(userfault_->Protect(watched_, kPage, false), 0);
  userfault_->Wake(watched_, kPage);
  writer.join();
  EXPECT_EQ(watched_[7], 'y');
}

TEST_F(UserfaultTest, MovesPagesAwayAsTheyAre) {
  ASSERT_EQ(userfault_->Fill(watched_, 2 * kPage, content_.data(), true), 0);
  EXPECT_EQ(userfault_->MoveAway(watched_, 2 * kPage, watched_ + 2 * kPage), 0);
  EXPECT_EQ(std::string(watched_ + 2 * kPage, 2 * kPage), content_);
  // What it leaves is missing.
  EXPECT_EQ(userfault_->Fill(watched_, kPage, content_.data(), false), 0);
}

TEST_F(UserfaultTest, FillsAcrossMappings) {
  ASSERT_EQ(mprotect(watched_ + kPage, kPage, PROT_READ), 0);
  ASSERT_EQ(userfault_->Fill(watched_, 2 * kPage, content_.data(), true), 0);
  EXPECT_EQ(std::string(watched_, 2 * kPage), content_);
}

TEST_F(UserfaultTest, SaysWhatItDoesNotWatch) {
  char* other = MapPages(1);
  ASSERT_EQ(mprotect(other, kPage, PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(userfault_->Fill(other, kPage, content_.data(), true), ENOENT);
  munmap(other, kPage);
}

TEST_F(UserfaultTest, AThreadKeepsItsDescriptorsWhateverOthersClose) {
  int fds[2];
  ASSERT_EQ(pipe(fds), 0);
  std::thread keeper([&] {
    userfault_->KeepForThread(&fds[1], 1);
    EXPECT_EQ(fcntl(fds[0], F_GETFD), -1);
    EXPECT_GE(fcntl(fds[1], F_GETFD), 0);
  });
  keeper.join();
  EXPECT_GE(fcntl(fds[0], F_GETFD), 0);
  close(fds[0]);
  close(fds[1]);
}

}  // namespace
}  // namespace stowage::runtime
