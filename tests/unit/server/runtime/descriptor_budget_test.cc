#include "server/runtime/descriptor_budget.h"

#include <sys/resource.h>

#include <climits>

#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(DescriptorBudgetTest, LeavesMostDescriptorsToGrpc) {
  for (const int limit : {64, 256, 1024, 1 << 20, INT_MAX}) {
    const absl::StatusOr<DescriptorBudget> divided = DivideDescriptors(limit);
    ASSERT_TRUE(divided.ok()) << divided.status();
    EXPECT_GE(divided->http_connections, 4);
    EXPECT_GT(divided->spare, divided->http_connections);
    EXPECT_LE(divided->spare, limit / 4);
  }
}

TEST(DescriptorBudgetTest, RefusesALimitThatLeavesNoneToGrpc) {
  EXPECT_TRUE(absl::IsResourceExhausted(DivideDescriptors(63).status()));
}

TEST(DescriptorBudgetTest, RaisesTheSoftLimitToTheHardOne) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 32;
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_TRUE(BudgetDescriptors().ok());
  getrlimit(RLIMIT_NOFILE, &limit);
  EXPECT_EQ(limit.rlim_cur, limit.rlim_max);
}

}  // namespace
}  // namespace stowage
