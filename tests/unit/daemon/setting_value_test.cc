#include "daemon/setting_value.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(SettingValueTest, AFileHasALineForEachSettingAndItsSource) {
  EXPECT_EQ(ToConfigFile({{"listen", "\"a:1\"", "default"},
                          {"training-nice", "3", "flag"}}),
            "listen = \"a:1\"  # default\ntraining-nice = 3  # flag\n");
}

TEST(SettingValueTest, OnlyAnotherValueIsAChange) {
  const std::vector<SettingValue> before = {{"a", "1", "default"},
                                            {"b", "2", "flag"}};
  const std::vector<SettingValue> after = {{"a", "1", "/file"},
                                           {"b", "3", "/file"}};
  const std::vector<SettingChange> changes = Changes(before, after);
  ASSERT_EQ(changes.size(), 1);
  EXPECT_EQ(changes[0].name, "b");
  EXPECT_EQ(changes[0].before, "2");
  EXPECT_EQ(changes[0].after, "3");
}

}  // namespace
}  // namespace stowage
