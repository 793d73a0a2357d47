#include "server/access/quotas.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

class QuotasTest : public ::testing::Test {
 protected:
  absl::Status Take(const std::string& identity, double amount = 1) {
    return quotas_.Take(identity, amount, now_);
  }

  absl::Time now_ = kStart;
  Quotas quotas_{{.unit = "calls", .per_second = 10, .burst = 3}};
};

TEST_F(QuotasTest, ABurstIsLetThroughAndNoMore) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Take("a").ok());
  const absl::Status refused = Take("a");
  EXPECT_TRUE(absl::IsResourceExhausted(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("'a'"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("again in 100ms"));
}

TEST_F(QuotasTest, OthersHaveAShareOfTheirOwn) {
  for (int i = 0; i < 4; ++i) Take("a").IgnoreError();
  EXPECT_TRUE(Take("b").ok());
}

TEST_F(QuotasTest, TimeFillsTheBucketUpToTheBurst) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Take("a").ok());
  now_ += absl::Milliseconds(100);
  EXPECT_TRUE(Take("a").ok());
  EXPECT_FALSE(Take("a").ok());
  now_ += absl::Hours(1);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Take("a").ok());
  EXPECT_FALSE(Take("a").ok());
}

TEST_F(QuotasTest, WhatIsLargerThanTheBurstIsLetThroughAndOwed) {
  EXPECT_TRUE(Take("a", 13).ok());
  now_ += absl::Milliseconds(900);
  EXPECT_FALSE(Take("a").ok());
  now_ += absl::Milliseconds(300);
  EXPECT_TRUE(Take("a").ok());
}

TEST_F(QuotasTest, WithoutALimitEverythingIsLetThrough) {
  quotas_.SetLimits({.unit = "calls"});
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(Take("a").ok());
}

TEST_F(QuotasTest, ManyStrangersAreForgottenAgain) {
  for (int i = 0; i < 20'000; ++i) {
    now_ += absl::Milliseconds(1);
    ASSERT_TRUE(Take(std::to_string(i)).ok());
  }
}

}  // namespace
}  // namespace stowage
