#include "agents/tiers/block_io.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include "agents/tiers/owned_fd.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr size_t kMoreThanTheQueueHolds = 37 << 20;

std::vector<std::unique_ptr<BlockIo>> AllKinds() {
  std::vector<std::unique_ptr<BlockIo>> kinds;
  kinds.push_back(MakeSyscallBlockIo());
  if (auto ring = MakeUringBlockIo()) kinds.push_back(std::move(ring));
  return kinds;
}

std::vector<std::byte> Pattern(size_t size) {
  std::vector<std::byte> data(size);
  for (size_t i = 0; i < size; ++i) {
    data[i] = static_cast<std::byte>((i ^ (i >> 12)) & 0xff);
  }
  return data;
}

TEST(BlockIoTest, WritesAndReadsMoreThanTheQueueHolds) {
  const std::vector<std::byte> data = Pattern(kMoreThanTheQueueHolds);
  for (const auto& io : AllKinds()) {
    const OwnedFd fd(memfd_create("file", MFD_CLOEXEC));
    ASSERT_EQ(io->Write(fd.get(), 4096, data), 0);
    std::vector<std::byte> back(data.size());
    ASSERT_EQ(io->Read(fd.get(), 4096, absl::MakeSpan(back)), 0);
    EXPECT_EQ(std::memcmp(data.data(), back.data(), data.size()), 0);
  }
}

TEST(BlockIoTest, ReportsTheEndOfTheFileAsAnError) {
  for (const auto& io : AllKinds()) {
    const OwnedFd fd(memfd_create("file", MFD_CLOEXEC));
    ASSERT_EQ(ftruncate(fd.get(), 3 << 20), 0);
    std::vector<std::byte> data(5 << 20);
    EXPECT_EQ(io->Read(fd.get(), 0, absl::MakeSpan(data)), EIO);
  }
}

TEST(BlockIoTest, ReportsTheErrorOfTheSystemAndWorksOn) {
  for (const auto& io : AllKinds()) {
    std::vector<std::byte> data(20 << 20);
    EXPECT_EQ(io->Write(-1, 0, data), EBADF);
    const OwnedFd fd(memfd_create("file", MFD_CLOEXEC));
    EXPECT_EQ(io->Write(fd.get(), 0, data), 0);
  }
}

}  // namespace
}  // namespace stowage::agent
