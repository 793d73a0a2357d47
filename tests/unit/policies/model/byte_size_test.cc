#include "policies/model/byte_size.h"

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

TEST(ByteSizeTest, RoundsUpSoThatALeastLimitWorksWhenItIsTypedIn) {
  EXPECT_EQ(DescribeBytes((1 << 20) + 1), "1.01 MiB (1048577 bytes)");
  EXPECT_EQ(DescribeBytes(2558600), "2.45 MiB (2558600 bytes)");
  EXPECT_EQ(DescribeBytes((45 << 20) + 1), "45.1 MiB (47185921 bytes)");
  EXPECT_EQ(DescribeBytes((900 << 20) + 1), "901 MiB (943718401 bytes)");
  EXPECT_EQ(DescribeBytes(int64_t{5000} << 20), "5000 MiB (5242880000 bytes)");
  EXPECT_EQ(DescribeBytes(1 << 20), "1 MiB (1048576 bytes)");
}

TEST(ByteSizeTest, SaysTheBytesAloneBelowAMiB) {
  EXPECT_EQ(DescribeBytes(0), "0 bytes");
  EXPECT_EQ(DescribeBytes(4096), "4096 bytes");
}

}  // namespace
}  // namespace stowage::policies
