#include "daemon/reload.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

TEST(ReloadTest, TakesOverWhatItCanAndKeepsTheRest) {
  const std::vector<SettingValue> running = {{"roles", "[]", "default"},
                                             {"listen", "\"a:1\"", "flag"}};
  const std::vector<SettingValue> loaded = {{"roles", "[\"agent=x\"]", "/file"},
                                            {"listen", "\"a:2\"", "/file"}};
  const ReloadedSettings reloaded = Reload(running, loaded, {"roles"});
  ASSERT_EQ(reloaded.in_use.size(), 1);
  EXPECT_EQ(reloaded.in_use[0].name, "roles");
  ASSERT_EQ(reloaded.need_a_restart.size(), 1);
  EXPECT_EQ(reloaded.need_a_restart[0].name, "listen");
  EXPECT_EQ(reloaded.running[0].text, "[\"agent=x\"]");
  EXPECT_EQ(reloaded.running[1].text, "\"a:1\"");
}

TEST(ReloadTest, TheSameAgainIsNoChangeAndARestartStaysDue) {
  const std::vector<SettingValue> loaded = {{"roles", "[]", "default"},
                                            {"listen", "\"a:2\"", "/file"}};
  const ReloadedSettings first =
      Reload({{"roles", "[]", "default"}, {"listen", "\"a:1\"", "flag"}},
             loaded, {"roles"});
  const ReloadedSettings second = Reload(first.running, loaded, {"roles"});
  EXPECT_TRUE(second.in_use.empty());
  EXPECT_EQ(second.need_a_restart.size(), 1);
}

}  // namespace
}  // namespace stowage
