#include "client_sdk/session/size_spec.h"

#include <cstdint>
#include <string>
#include <utility>

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
  EXPECT_EQ(ParseLimit("0.4"), Limit{.fraction = 0.4});
  EXPECT_EQ(ParseLimit("1048576"), Limit{.bytes = 1 << 20});
  EXPECT_EQ(ParseLimit("40B"), Limit{.bytes = 40});
  EXPECT_EQ(ParseLimit("auto"), Limit{.slowdown = kDefaultSlowdown});
  EXPECT_EQ(ParseLimit("auto:10%"), Limit{.slowdown = 0.1});
  EXPECT_EQ(ParseLimit("auto:0.02"), Limit{.slowdown = 0.02});
  EXPECT_FALSE(ParseLimit("auto")->unlimited());
  ASSERT_TRUE(ParseLimit("unlimited").has_value());
  EXPECT_TRUE(ParseLimit("unlimited")->unlimited());
}

TEST(SizeSpecTest, RefusesLimitsThatAreNone) {
  for (const char* text : {"", "%", "0%", "101%", "-5%", "40%%", "4 0%",
                           "Unlimited", "nan%", "0", "1", "40", "1048575",
                           "auto:", "auto:0", "auto:11", "auto:x", "auto5%"}) {
    EXPECT_EQ(ParseLimit(text), std::nullopt) << text;
  }
}

TEST(SizeSpecTest, DividesALimitForTheHostAmongItsRanks) {
  EXPECT_EQ(ParseHostLimit("8GiB/host"), int64_t{8} << 30);
  EXPECT_EQ(RankLimit("8GiB/host", 4), "2147483648B");
  EXPECT_EQ(ParseLimit(RankLimit("8GiB/host", 4)),
            Limit{.bytes = int64_t{2} << 30});
  EXPECT_EQ(RankLimit("8GiB/host", 0), "8GiB/host");
  EXPECT_EQ(RankLimit("40%", 4), "40%");
  for (const char* text : {"/host", "40%/host", "40/host", "auto/host",
                           "unlimited/host", "8GiB/node", "8GiB", ""}) {
    EXPECT_EQ(ParseHostLimit(text), std::nullopt) << text;
  }
}

TEST(SizeSpecTest, AsksWhetherABareNumberWasMeantAsPercent) {
  EXPECT_EQ(WhyNoLimit("40"), "would be that many bytes; did you mean 40%?");
  EXPECT_EQ(WhyNoLimit("900"),
            "would be that many bytes; did you mean 900MiB?");
  EXPECT_EQ(WhyNoLimit("much"), std::string("is not ") + kLimitForms);
  EXPECT_EQ(WhyNoLimit("0"), std::string("is not ") + kLimitForms);
}

TEST(SizeSpecTest, ReadsSharesInPercentOrAsANumber) {
  EXPECT_EQ(ParseShare("40%"), 0.4);
  EXPECT_EQ(ParseShare("0.4"), 0.4);
  EXPECT_EQ(ParseShare("1"), 1);
  for (const char* text : {"", "0", "1.5", "40", "101%", "nan", "0.4x", "%"}) {
    EXPECT_EQ(ParseShare(text), std::nullopt) << text;
  }
}

TEST(SizeSpecTest, WritesSizesWithThreeDigits) {
  const std::pair<int64_t, const char*> cases[] = {
      {0, "0 B"},
      {1023, "1023 B"},
      {1024, "1.00 KiB"},
      {2558525, "2.44 MiB"},
      {10 << 20, "10.0 MiB"},
      {(10 << 20) - 1, "10.0 MiB"},
      {47500000, "45.3 MiB"},
      {int64_t{900} << 20, "900 MiB"},
      {(int64_t{1} << 30) - 1, "1.00 GiB"},
      {int64_t{5000} << 40, "5000 TiB"},
  };
  for (const auto& [bytes, text] : cases) EXPECT_EQ(SizeText(bytes), text);
}

}  // namespace
}  // namespace stowage::session
