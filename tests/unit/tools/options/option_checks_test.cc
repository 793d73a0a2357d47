#include "tools/stowage/options/option_checks.h"

#include <string>

#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

bool Accepts(const ValueCheck& check, const std::string& text) {
  return check.problem(text).empty();
}

TEST(OptionChecksTest, SecondsAreNumbersWithinTheirRange) {
  EXPECT_TRUE(Accepts(SecondsUpTo(60), "0.5"));
  for (const char* text : {"nan", "-1", "61", "soon", ""}) {
    EXPECT_FALSE(Accepts(SecondsUpTo(60), text)) << text;
  }
}

TEST(OptionChecksTest, WholeNumbersAreRefusedWhereTheyDoNotFit) {
  EXPECT_TRUE(Accepts(WholeNumberFrom(0), "0"));
  EXPECT_TRUE(Accepts(WholeNumberFrom(0), "9223372036854775807"));
  for (const char* text : {"-1", "1.5", "9223372036854775808", "x", ""}) {
    EXPECT_FALSE(Accepts(WholeNumberFrom(0), text)) << text;
  }
}

TEST(OptionChecksTest, WholeNumbersStayWithinTheirRange) {
  EXPECT_TRUE(Accepts(WholeNumberIn(1, 1024), "1024"));
  EXPECT_FALSE(Accepts(WholeNumberIn(1, 1024), "1025"));
  EXPECT_FALSE(Accepts(WholeNumberIn(1, 1024), "0"));
}

TEST(OptionChecksTest, AnEmptyPathIsNoPath) {
  EXPECT_TRUE(Accepts(NotEmpty(), "plan.pb"));
  EXPECT_FALSE(Accepts(NotEmpty(), ""));
}

}  // namespace
}  // namespace stowage::cli
