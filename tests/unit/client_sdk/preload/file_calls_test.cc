// Makes every call that reads or writes a descriptor, on memory that only
// instructions reach.
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/preload/slow_memory.h"

namespace stowage::preload {
namespace {

class FileCallsTest : public testing::Test {
 protected:
  FileCallsTest() {
    // In the build tree, whose file system takes direct I/O.
    char path[] = STOWAGE_BINARY_DIR "/calls-XXXXXX";
    fd_ = mkstemp(path);
    path_ = path;
  }
  ~FileCallsTest() override {
    close(fd_);
    unlink(path_.c_str());
  }

  // Returns the file's bytes, read by ordinary memory.
  std::string Contents() const {
    std::string bytes(lseek(fd_, 0, SEEK_END), '\0');
    EXPECT_EQ(pread(fd_, bytes.data(), bytes.size(), 0), bytes.size());
    return bytes;
  }
  void SetContents(const std::string& bytes) {
    ASSERT_EQ(pwrite(fd_, bytes.data(), bytes.size(), 0), bytes.size());
  }

  int fd_;
  std::string path_;
  const std::string bytes_ = RandomBytes(kManyPieces);
};

TEST_F(FileCallsTest, WritesAll) {
  const SlowMemory memory(bytes_);
  EXPECT_EQ(write(fd_, memory.data(), memory.size()), memory.size());
  EXPECT_EQ(Contents(), bytes_);
}

TEST_F(FileCallsTest, ReadsAllAndThenTheEnd) {
  SetContents(bytes_);
  const SlowMemory memory(kManyPieces);
  EXPECT_EQ(read(fd_, memory.data(), memory.size()), memory.size());
  EXPECT_EQ(memory.Bytes(), bytes_);
  EXPECT_EQ(read(fd_, memory.data(), memory.size()), 0);
}

TEST_F(FileCallsTest, ReadsWhatIsLeftOfAFile) {
  SetContents(bytes_);
  const SlowMemory memory(2 * kManyPieces);
  EXPECT_EQ(read(fd_, memory.data(), memory.size()), kManyPieces);
  EXPECT_EQ(memory.Bytes().substr(0, kManyPieces), bytes_);
}

TEST_F(FileCallsTest, ReadsAndWritesAtOffsets) {
  const SlowMemory from(bytes_);
  EXPECT_EQ(pwrite(fd_, from.data(), from.size(), 100), from.size());
  const SlowMemory to(kManyPieces);
  EXPECT_EQ(pread(fd_, to.data(), to.size(), 100), to.size());
  EXPECT_EQ(to.Bytes(), bytes_);
  EXPECT_EQ(lseek(fd_, 0, SEEK_CUR), 0);
}

TEST_F(FileCallsTest, ReadsAndWritesVectorsOfMixedMemory) {
  const SlowMemory slow(bytes_);
  std::string fast = "fast";
  const iovec out[] = {{fast.data(), 4}, {slow.data(), slow.size()}};
  EXPECT_EQ(writev(fd_, out, 2), 4 + kManyPieces);
  EXPECT_EQ(pwritev(fd_, out, 2, 4 + kManyPieces), 4 + kManyPieces);
  EXPECT_EQ(Contents(), "fast" + bytes_ + "fast" + bytes_);

  const SlowMemory first(kManyPieces);
  std::string second(4, '\0');
  const iovec in[] = {{first.data(), first.size()}, {second.data(), 4}};
  EXPECT_EQ(preadv(fd_, in, 2, 4), 4 + kManyPieces);
  EXPECT_EQ(first.Bytes() + second, bytes_ + "fast");
  lseek(fd_, 4, SEEK_SET);
  EXPECT_EQ(readv(fd_, in, 2), 4 + kManyPieces);
  EXPECT_EQ(first.Bytes() + second, bytes_ + "fast");
}

TEST_F(FileCallsTest, VectorsWithFlagsTakeTheFilesPosition) {
  const SlowMemory from(bytes_);
  const iovec out{from.data(), from.size()};
  EXPECT_EQ(pwritev2(fd_, &out, 1, -1, 0), kManyPieces);
  EXPECT_EQ(lseek(fd_, 0, SEEK_CUR), kManyPieces);
  const SlowMemory to(kManyPieces);
  const iovec in{to.data(), to.size()};
  EXPECT_EQ(preadv2(fd_, &in, 1, 0, 0), kManyPieces);
  EXPECT_EQ(to.Bytes(), bytes_);
}

TEST_F(FileCallsTest, DirectReadsAndWritesStayAligned) {
  const int direct = open(path_.c_str(), O_RDWR | O_DIRECT);
  ASSERT_GE(direct, 0);
  const std::string bytes = RandomBytes(2 * Bounce::kBytes + kPageBytes);
  const SlowMemory from(bytes), to(bytes.size());
  EXPECT_EQ(pwrite(direct, from.data(), from.size(), 0), from.size());
  EXPECT_EQ(pread(direct, to.data(), to.size(), 0), to.size());
  EXPECT_EQ(to.Bytes(), bytes);
  close(direct);
}

TEST_F(FileCallsTest, AReadOfAPipeDoesNotWaitForMoreThanThereIs) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  const SlowMemory memory(kManyPieces);
  ASSERT_EQ(write(pipe_fds[1], bytes_.data(), 1000), 1000);
  EXPECT_EQ(read(pipe_fds[0], memory.data(), memory.size()), 1000);
  EXPECT_EQ(memory.Bytes().substr(0, 1000), bytes_.substr(0, 1000));
  close(pipe_fds[0]);
  close(pipe_fds[1]);
}

TEST_F(FileCallsTest, AWriteToAPipeBlocksUntilAllIsTaken) {
  int pipe_fds[2];
  ASSERT_EQ(pipe(pipe_fds), 0);
  std::thread writer([&] {
    const SlowMemory memory(bytes_);
    EXPECT_EQ(write(pipe_fds[1], memory.data(), memory.size()), memory.size());
    close(pipe_fds[1]);
  });
  std::string received;
  char buffer[4096];
  for (ssize_t n; (n = read(pipe_fds[0], buffer, sizeof(buffer))) > 0;) {
    received.append(buffer, n);
  }
  writer.join();
  EXPECT_EQ(received, bytes_);
  close(pipe_fds[0]);
}

TEST_F(FileCallsTest, ErrorsAreThoseOfTheCall) {
  const SlowMemory memory(kPageBytes);
  EXPECT_EQ(read(-1, memory.data(), memory.size()), -1);
  EXPECT_EQ(errno, EBADF);
  EXPECT_EQ(pwrite(fd_, memory.data(), memory.size(), -5), -1);
  EXPECT_EQ(errno, EINVAL);
}

}  // namespace
}  // namespace stowage::preload
