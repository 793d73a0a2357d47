#include "policies/model/byte_size.h"

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(ByteSizeTest, RoundsUpSoThatALeastLimitWorksWhenItIsTypedIn) {
  EXPECT_EQ(DescribeBytes((1 << 20) + 1), "2 MiB (1048577 bytes)");
  EXPECT_EQ(DescribeBytes(1 << 20), "1 MiB (1048576 bytes)");
}

TEST(ByteSizeTest, SaysTheBytesAloneBelowAMiB) {
  EXPECT_EQ(DescribeBytes(0), "0 bytes");
  EXPECT_EQ(DescribeBytes(4096), "4096 bytes");
}

}  // namespace
}  // namespace stowage
