#include "daemon/setting_text.h"

#include <cstdint>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(SettingTextTest, ParsesWhatPeopleWriteForTrueAndFalse) {
  bool value = false;
  for (const std::string text : {"true", "1", "yes", "on"}) {
    EXPECT_TRUE(ParseBool(text, &value).ok()) << text;
    EXPECT_TRUE(value) << text;
  }
  for (const std::string text : {"false", "0", "no", "off"}) {
    EXPECT_TRUE(ParseBool(text, &value).ok()) << text;
    EXPECT_FALSE(value) << text;
  }
  EXPECT_EQ(ParseBool("perhaps", &value).message(), "name true or false");
}

TEST(SettingTextTest, NumbersAreInTheirRangeEndsIncluded) {
  int64_t value = 0;
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(
      ParseNumber<int64_t>("9223372036854775807", 0, most, &value).ok());
  EXPECT_EQ(value, most);
  for (const std::string text : {"-1", "9223372036854775808", "1.5", "", "x"}) {
    EXPECT_FALSE(ParseNumber<int64_t>(text, 0, most, &value).ok()) << text;
  }
  double share = 0;
  EXPECT_FALSE(ParseNumber("nan", 0.0, 1.0, &share).ok());
  EXPECT_FALSE(ParseNumber("inf", 0.0, 1.0, &share).ok());
  EXPECT_EQ(ParseNumber("2", 0.0, 1.0, &share).message(), "name 0 to 1");
}

TEST(SettingTextTest, DurationsHaveUnits) {
  absl::Duration value;
  EXPECT_TRUE(
      ParseDuration("1m30s", absl::ZeroDuration(), absl::Hours(1), &value)
          .ok());
  EXPECT_EQ(value, absl::Seconds(90));
  EXPECT_EQ(ParseDuration("90", absl::Milliseconds(1), absl::Hours(1), &value)
                .message(),
            "name 1ms to 1h");
}

TEST(SettingTextTest, QuotesTextsAndLists) {
  EXPECT_EQ(Quoted("a b"), "\"a b\"");
  EXPECT_EQ(Quoted("a\"b"), "'a\"b'");
  EXPECT_EQ(ListText({}), "[]");
  EXPECT_EQ(ListText({"a", "b c"}), "[\"a\", \"b c\"]");
}

}  // namespace
}  // namespace stowage
