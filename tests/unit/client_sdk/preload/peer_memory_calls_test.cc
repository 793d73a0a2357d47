// Reads the memory of a process as a peer does, with and without PyTorch in it.
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gtest/gtest.h"

namespace stowage::preload {
namespace {

constexpr char kSent[] = "a message";

class PeerMemoryTest : public testing::Test {
 protected:
  // Loads a library that has the name of PyTorch's, from here to the end.
  void LoadTorch() {
    Dl_info info;
    ASSERT_NE(
        dladdr(reinterpret_cast<void*>(static_cast<double (*)(double)>(&cbrt)),
               &info),
        0);
    const auto path = std::filesystem::path(testing::TempDir()) / "libc10.so";
    std::filesystem::copy_file(
        info.dli_fname, path,
        std::filesystem::copy_options::overwrite_existing);
    torch_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(torch_, nullptr) << dlerror();
  }
  ~PeerMemoryTest() override {
    if (torch_ != nullptr) dlclose(torch_);
  }

  char received_[sizeof(kSent)] = {};
  const iovec here_{received_, sizeof(received_)};
  const iovec there_{const_cast<char*>(kSent), sizeof(kSent)};

 private:
  void* torch_ = nullptr;
};

TEST_F(PeerMemoryTest, IsReadWhereThereIsNoTorch) {
  EXPECT_EQ(process_vm_readv(getpid(), &here_, 1, &there_, 1, 0),
            sizeof(kSent));
  EXPECT_STREQ(received_, kSent);
}

TEST_F(PeerMemoryTest, IsReadBySystemCallWhereThereIsNoTorch) {
  EXPECT_EQ(
      syscall(SYS_process_vm_readv, getpid(), &here_, 1L, &there_, 1L, 0L),
      sizeof(kSent));
  EXPECT_STREQ(received_, kSent);
}

TEST_F(PeerMemoryTest, IsForbiddenToProcessesThatUseTorch) {
  LoadTorch();
  EXPECT_EQ(process_vm_readv(getpid(), &here_, 1, &there_, 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(process_vm_writev(getpid(), &there_, 1, &here_, 1, 0), -1);
  EXPECT_EQ(errno, EPERM);
  errno = 0;
  EXPECT_EQ(
      syscall(SYS_process_vm_readv, getpid(), &here_, 1L, &there_, 1L, 0L), -1);
  EXPECT_EQ(errno, EPERM);
  EXPECT_STREQ(received_, "");
}

TEST_F(PeerMemoryTest, OtherSystemCallsTakeAllTheirArguments) {
  LoadTorch();
  const auto file = syscall(SYS_memfd_create, "file", 0);
  ASSERT_GE(file, 0);
  constexpr long kPage = 4096;
  ASSERT_EQ(pwrite(file, kSent, sizeof(kSent), kPage), sizeof(kSent));
  void* page =
      reinterpret_cast<void*>(syscall(SYS_mmap, nullptr, kPage, long{PROT_READ},
                                      long{MAP_SHARED}, file, kPage));
  ASSERT_NE(page, MAP_FAILED);
  EXPECT_STREQ(static_cast<const char*>(page), kSent);
  EXPECT_EQ(munmap(page, kPage), 0);
  EXPECT_EQ(syscall(SYS_close, file), 0);
  EXPECT_EQ(syscall(SYS_close, file), -1);
  EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace stowage::preload
