#include "client_sdk/runtime/process/available_memory.h"

#include <sys/sysinfo.h>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(AvailableMemoryTest, IsMoreThanNothingAndLessThanTheHostHas) {
  struct sysinfo host;
  ASSERT_EQ(sysinfo(&host), 0);
  const auto total_bytes =
      static_cast<int64_t>(host.totalram) * static_cast<int64_t>(host.mem_unit);
  const int64_t available_bytes = AvailableMemory::Now().bytes;
  EXPECT_GT(available_bytes, 0);
  EXPECT_LE(available_bytes, total_bytes / 5 * 4);
}

}  // namespace
}  // namespace stowage::runtime
