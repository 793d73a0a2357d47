#include "client_sdk/session/address_space.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

constexpr rlim_t kLimitBytes = rlim_t{1} << 46;  // sanitizers map a lot

class AddressSpaceTest : public testing::Test {
 protected:
  AddressSpaceTest() { getrlimit(RLIMIT_AS, &before_); }
  ~AddressSpaceTest() override { setrlimit(RLIMIT_AS, &before_); }
  void Limit(rlim_t bytes) {
    const rlimit limit{bytes, before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
  }

 private:
  rlimit before_;
};

TEST_F(AddressSpaceTest, WithoutALimitNothingIsSaid) {
  Limit(RLIM_INFINITY);
  EXPECT_EQ(AddressBytesLeft(), 0);
}

TEST_F(AddressSpaceTest, WhatIsMappedCounts) {
  constexpr int64_t kMappedBytes = int64_t{1} << 32;
  Limit(kLimitBytes);
  const int64_t before = AddressBytesLeft();
  void* mapped = mmap(nullptr, kMappedBytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  const int64_t after = AddressBytesLeft();
  munmap(mapped, kMappedBytes);
  EXPECT_LT(before, kLimitBytes);
  EXPECT_NEAR(before - after, kMappedBytes, 1 << 20);
}

TEST_F(AddressSpaceTest, ALimitThatIsUsedUpLeavesAPage) {
  Limit(1 << 20);
  const int64_t left = AddressBytesLeft();
  Limit(RLIM_INFINITY);
  EXPECT_EQ(left, 4096);
}

}  // namespace
}  // namespace stowage::session
