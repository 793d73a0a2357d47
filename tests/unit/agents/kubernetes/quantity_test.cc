#include "agents/kubernetes/quantity.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(QuantityTest, ReadsEveryFormOfKubernetes) {
  EXPECT_EQ(*ParseQuantity("0"), 0);
  EXPECT_EQ(*ParseQuantity("123456789"), 123456789);
  EXPECT_EQ(*ParseQuantity("8Gi"), int64_t{8} << 30);
  EXPECT_EQ(*ParseQuantity("1.5Gi"), int64_t{3} << 29);
  EXPECT_EQ(*ParseQuantity("500M"), 500'000'000);
  EXPECT_EQ(*ParseQuantity("4k"), 4000);
  EXPECT_EQ(*ParseQuantity("1e9"), 1'000'000'000);
  EXPECT_EQ(*ParseQuantity("2E3"), 2000);
  EXPECT_EQ(*ParseQuantity("1500m"), 1);
  EXPECT_EQ(*ParseQuantity("1Ei"), int64_t{1} << 60);
}

TEST(QuantityTest, RefusesWhatIsNone) {
  for (const char* text : {"", "Gi", "8 GiB", "-1", "2Ei", "nan", "inf", "0x10",
                           "1e400", "8Gi8", "\xff"}) {
    EXPECT_EQ(ParseQuantity(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(QuantityTest, WritesTheLargestUnitThatDivides) {
  EXPECT_EQ(QuantityOf(0), "0");
  EXPECT_EQ(QuantityOf(1000), "1000");
  EXPECT_EQ(QuantityOf(1 << 20), "1Mi");
  EXPECT_EQ(QuantityOf(int64_t{3} << 29), "1536Mi");
  EXPECT_EQ(QuantityOf(int64_t{5} << 50), "5Pi");
}

}  // namespace
}  // namespace stowage::agent
