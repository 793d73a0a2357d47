#include "daemon/config_file.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ConfigFileTest : public testing::Test {
 protected:
  absl::StatusOr<std::vector<FileEntry>> Read(const std::string& text) {
    std::ofstream(path_) << text;
    return ReadConfigFile(path_);
  }

  ~ConfigFileTest() override { std::filesystem::remove(path_); }

  const std::string path_ = testing::TempDir() + "config_file_test.conf";
};

TEST_F(ConfigFileTest, ReadsValuesArraysAndComments) {
  const auto entries = Read(
      "# comment\n\nlisten = \"unix:/a b\"  # there\n"
      "training-nice=3\nroles = [\"a=b\", \"c=*.d\"]\n");
  ASSERT_TRUE(entries.ok()) << entries.status();
  ASSERT_EQ(entries->size(), 3);
  EXPECT_EQ((*entries)[0].name, "listen");
  EXPECT_THAT((*entries)[0].values, ElementsAre("unix:/a b"));
  EXPECT_THAT((*entries)[1].values, ElementsAre("3"));
  EXPECT_THAT((*entries)[2].values, ElementsAre("a=b", "c=*.d"));
}

TEST_F(ConfigFileTest, AnEmptyFileHasNoEntries) {
  const auto entries = Read("");
  ASSERT_TRUE(entries.ok()) << entries.status();
  EXPECT_TRUE(entries->empty());
}

TEST_F(ConfigFileTest, RefusesWhatItCannotMeanAndNamesTheFile) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[server]\nlisten = a\n", "section [server] is unknown"},
      {"trainer = \"/a#b\"\n", "the value of trainer begins with a quote"},
      {"listen = 'a\n", "the value of listen begins with a quote"},
      {std::string((1 << 20) + 1, '#'), "more than 1 MiB"},
  };
  for (const auto& [text, why] : cases) {
    const auto entries = Read(text);
    EXPECT_EQ(entries.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(entries.status().message(), HasSubstr(path_));
    EXPECT_THAT(entries.status().message(), HasSubstr(why));
  }
}

TEST_F(ConfigFileTest, SaysWhyAFileCannotBeRead) {
  const auto none = ReadConfigFile("/no/such/file");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(none.status().message(), HasSubstr("No such file"));
  const auto directory = ReadConfigFile("/tmp");
  EXPECT_THAT(directory.status().message(), HasSubstr("Is a directory"));
}

TEST_F(ConfigFileTest, AnyBytesGiveAnAnswer) {
  for (int seed = 0; seed < 300; ++seed) {
    std::srand(seed);
    const std::string alphabet = "[]=\"'#,. \n\\ab\t\r\x01\xff";
    std::string text;
    for (int i = 0; i < 60; ++i) {
      text += alphabet[std::rand() % alphabet.size()];
    }
    const auto entries = Read(text);
    if (entries.ok()) continue;
    EXPECT_THAT(entries.status().message(), HasSubstr(path_));
  }
}

}  // namespace
}  // namespace stowage
