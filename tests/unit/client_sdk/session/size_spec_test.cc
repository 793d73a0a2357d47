#include "client_sdk/session/size_spec.h"

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

TEST(SizeSpecTest, ReadsEveryUnit) {
  EXPECT_EQ(ParseSize("4096"), 4096);
  EXPECT_EQ(ParseSize("3KiB"), 3072);
  EXPECT_EQ(ParseSize("900MiB"), int64_t{900} << 20);
  EXPECT_EQ(ParseSize("1.5GiB"), int64_t{3} << 29);
  EXPECT_EQ(ParseSize("2TiB"), int64_t{2} << 40);
  EXPECT_EQ(ParseSize("3KB"), 3000);
  EXPECT_EQ(ParseSize("2GB"), 2'000'000'000);
}

TEST(SizeSpecTest, RefusesWhatIsNoSize) {
  for (const char* text : {"", "MiB", "-1", "0", "0.1", "1 MiB", "1mib", "1e3",
                           "nan", "inf", "99999999TiB", "1MiB2", "0x10"}) {
    EXPECT_EQ(ParseSize(text), std::nullopt) << text;
  }
}

TEST(SizeSpecTest, ReadsLimitsAsSizeShareOrUnlimited) {
  EXPECT_EQ(ParseLimit("900MiB"), Limit{.bytes = int64_t{900} << 20});
  EXPECT_EQ(ParseLimit("40%"), Limit{.fraction = 0.4});
  EXPECT_EQ(ParseLimit("100%"), Limit{.fraction = 1});
  ASSERT_TRUE(ParseLimit("unlimited").has_value());
  EXPECT_TRUE(ParseLimit("unlimited")->unlimited());
}

TEST(SizeSpecTest, RefusesLimitsThatAreNone) {
  for (const char* text :
       {"", "%", "0%", "101%", "-5%", "40%%", "4 0%", "Unlimited", "nan%"}) {
    EXPECT_EQ(ParseLimit(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace stowage::session
