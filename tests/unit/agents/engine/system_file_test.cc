#include "agents/engine/system_file.h"

#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class SystemFileTest : public testing::Test {
 protected:
  absl::StatusOr<v1::MemorySystem> Read(const std::string& text) {
    const std::string path = directory_.path() + "/system.json";
    std::ofstream(path) << text;
    return ReadSystemFile(path);
  }

  TempDirectory directory_;
};

TEST_F(SystemFileTest, ReadsProtoJson) {
  const auto system = Read(
      R"({"name": "host", "tiers": [{"name": "dram"}, {"name": "file"}]})");
  ASSERT_TRUE(system.ok()) << system.status();
  EXPECT_EQ(system->name(), "host");
  EXPECT_EQ(system->tiers(1).name(), "file");
}

TEST_F(SystemFileTest, SaysWhatIsWrongWithAFile) {
  const auto torn = Read(R"({"name": "host", "tiers": [)");
  EXPECT_TRUE(absl::IsInvalidArgument(torn.status()));
  EXPECT_THAT(std::string(torn.status().message()),
              HasSubstr("is not proto JSON"));
  const auto one = Read(R"({"tiers": [{"name": "dram"}]})");
  EXPECT_THAT(std::string(one.status().message()), HasSubstr("has 1 tiers"));
}

TEST_F(SystemFileTest, SaysHowToMakeAFileThatIsMissing) {
  const auto none = ReadSystemFile(directory_.path() + "/none.json");
  EXPECT_TRUE(absl::IsNotFound(none.status()));
  EXPECT_THAT(std::string(none.status().message()),
              HasSubstr("stowage calibrate -o FILE"));
}

}  // namespace
}  // namespace stowage::agent
