#include "daemon/settings.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Values {
  std::string text = "preset";
  bool on = true;
  int64_t count = 5;
  double share = 0.5;
  absl::Duration time = absl::Seconds(10);
  std::vector<std::string> list;
  std::string choice = "red";
  bool action = false;
};

class SettingsTest : public testing::Test {
 protected:
  SettingsTest() {
    settings_.Add("text", &values_.text, "a text");
    settings_.Add("on", &values_.on, "a switch");
    settings_.AddNumber("a-count", &values_.count, int64_t{0}, int64_t{9},
                        "a number");
    settings_.AddNumber("share", &values_.share, 0.0, 1.0, "a share");
    settings_.AddDuration("time", &values_.time, absl::ZeroDuration(),
                          absl::Hours(1), "a time");
    settings_.AddList("list", &values_.list, ',', "a list");
    settings_.AddChoice("choice", &values_.choice, {"red", "blue"}, "a choice");
    settings_.AddAction("action", &values_.action, "an action");
  }
  ~SettingsTest() override {
    for (const std::string& name : variables_) unsetenv(name.c_str());
    std::filesystem::remove(path_);
  }

  void SetVariable(const std::string& name, const std::string& value) {
    setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
    variables_.push_back(name);
  }

  absl::Status Load(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "program");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    return settings_.Load(static_cast<int>(argv.size()), argv.data());
  }

  absl::Status LoadFile(const std::string& text) {
    std::ofstream(path_) << text;
    return Load({"--config", path_});
  }

  std::map<std::string, std::string> Sources() const {
    std::map<std::string, std::string> sources;
    for (const SettingValue& v : settings_.Values()) sources[v.name] = v.source;
    return sources;
  }

  const std::string path_ = testing::TempDir() + "settings_test.conf";
  Values values_;
  std::vector<std::string> variables_;
  Settings settings_{{.name = "program",
                      .summary = "Tests.",
                      .version = "1",
                      .variable_prefix = "SETTINGS_TEST_",
                      .owns_prefix = true}};
};

TEST_F(SettingsTest, WithoutAnythingTheDefaultsStay) {
  ASSERT_TRUE(Load({}).ok());
  EXPECT_EQ(values_.text, "preset");
  EXPECT_EQ(values_.time, absl::Seconds(10));
  EXPECT_FALSE(settings_.IsSet("text"));
  EXPECT_EQ(settings_.Where("text"), "--text");
}

TEST_F(SettingsTest, FlagsWinOverVariablesOverTheFileOverDefaults) {
  std::ofstream(path_) << "text = file\na-count = 3\nshare = 0.25\n";
  SetVariable("SETTINGS_TEST_TEXT", "variable");
  SetVariable("SETTINGS_TEST_A_COUNT", "2");
  SetVariable("SETTINGS_TEST_CONFIG", path_);
  ASSERT_TRUE(Load({"--text=flag"}).ok());
  EXPECT_EQ(values_.text, "flag");
  EXPECT_EQ(values_.count, 2);
  EXPECT_EQ(values_.share, 0.25);
  auto sources = Sources();
  EXPECT_EQ(sources["text"], "flag");
  EXPECT_EQ(sources["a-count"], "SETTINGS_TEST_A_COUNT");
  EXPECT_EQ(sources["share"], path_);
  EXPECT_EQ(sources["on"], "default");
}

TEST_F(SettingsTest, ValuesMayBeEmpty) {
  ASSERT_TRUE(Load({"--text=", "--a-count=1"}).ok());
  EXPECT_EQ(values_.text, "");
  EXPECT_EQ(values_.count, 1);
}

TEST_F(SettingsTest, AnEmptyVariableIsAnEmptyValue) {
  SetVariable("SETTINGS_TEST_TEXT", "");
  ASSERT_TRUE(Load({}).ok());
  EXPECT_EQ(values_.text, "");
}

TEST_F(SettingsTest, SwitchesTakeNoValueOrOne) {
  ASSERT_TRUE(Load({"--on=false"}).ok());
  EXPECT_FALSE(values_.on);
  ASSERT_TRUE(Load({"--on"}).ok());
  EXPECT_TRUE(values_.on);
}

TEST_F(SettingsTest, ListsAreRepeatedOrSeparated) {
  ASSERT_TRUE(Load({"--list=a,b", "--list", "c"}).ok());
  EXPECT_THAT(values_.list, ElementsAre("a", "b", "c"));
}

TEST_F(SettingsTest, TheLastOfRepeatedFlagsCounts) {
  ASSERT_TRUE(Load({"--a-count=1", "--a-count=2"}).ok());
  EXPECT_EQ(values_.count, 2);
}

TEST_F(SettingsTest, RefusesValuesAndNamesWhoSetThem) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--a-count=10", "--a-count is 10; name 0 to 9"},
      {"--a-count=many", "--a-count is many; name 0 to 9"},
      {"--share=nan", "--share is nan; name 0 to 1"},
      {"--time=2h", "--time is 2h; name 0 to 1h"},
      {"--on=perhaps", "--on is perhaps; name true or false"},
      {"--choice=green", "--choice is green; name red or blue"},
      {"--bogus=1", "unknown flag '--bogus=1'"},
      {"stray", "unexpected argument 'stray'"},
  };
  for (const auto& [argument, message] : cases) {
    const absl::Status loaded = Load({argument});
    EXPECT_EQ(loaded.code(), absl::StatusCode::kInvalidArgument) << argument;
    EXPECT_THAT(loaded.message(), HasSubstr(message));
  }
}

TEST_F(SettingsTest, RefusesVariablesAndNamesThem) {
  SetVariable("SETTINGS_TEST_TIME", "often");
  EXPECT_THAT(Load({}).message(),
              HasSubstr("environment variable SETTINGS_TEST_TIME is often"));
}

TEST_F(SettingsTest, RefusesUnknownVariablesOfItsPrefix) {
  SetVariable("SETTINGS_TEST_BOGUS", "1");
  EXPECT_THAT(Load({}).message(), HasSubstr("SETTINGS_TEST_BOGUS; unset it"));
}

TEST_F(SettingsTest, RefusesWhatAFileMayNotHave) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bogus = 1", path_ + ": bogus is unknown"},
      {"action = true", path_ + ": action may not stand in"},
      {"config = a.conf", path_ + ": config may not stand in"},
      {"a-count = 10", "a-count in " + path_ + " is 10; name 0 to 9"},
      {"text = [a, b]", "text in " + path_ + " has 2 values; give one"},
      {"text = a\non = true\ntext = b", path_ + ": text stands there twice"},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_THAT(LoadFile(text).message(), HasSubstr(message));
  }
}

TEST_F(SettingsTest, WhatItPrintsIsAFileOfTheSameValues) {
  ASSERT_TRUE(Load({"--text=a b,c", "--list=x,y=*.z", "--time=1.5s",
                    "--on=false", "--share=0.125"})
                  .ok());
  const std::vector<SettingValue> before = settings_.Values();
  values_ = Values();
  ASSERT_TRUE(LoadFile(ToConfigFile(before)).ok());
  EXPECT_TRUE(Changes(before, settings_.Values()).empty());
  EXPECT_EQ(values_.text, "a b,c");
  EXPECT_THAT(values_.list, ElementsAre("x", "y=*.z"));
}

}  // namespace
}  // namespace stowage
