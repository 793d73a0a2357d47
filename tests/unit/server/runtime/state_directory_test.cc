#include "server/runtime/state_directory.h"

#include <cstdlib>
#include <filesystem>
#include <string>

#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

class StateDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"STATE_DIRECTORY", "XDG_STATE_HOME", "HOME"}) {
      unsetenv(name);
    }
  }
  void Set(const char* name, const std::string& value) {
    setenv(name, value.c_str(), /*overwrite=*/1);
  }

  TemporaryDirectory root_;
};

TEST_F(StateDirectoryTest, PrefersSystemdThenXdgThenHome) {
  Set("HOME", root_.path());
  EXPECT_EQ(*MakeStateDirectory(), root_.path() + "/.local/state/stowage");
  Set("XDG_STATE_HOME", root_.path() + "/xdg");
  EXPECT_EQ(*MakeStateDirectory(), root_.path() + "/xdg/stowage");
  Set("STATE_DIRECTORY", root_.path() + "/one:" + root_.path() + "/two");
  EXPECT_EQ(*MakeStateDirectory(), root_.path() + "/one");
}

TEST_F(StateDirectoryTest, MakesItForItsOwnerAlone) {
  Set("HOME", root_.path());
  const std::string directory = *MakeStateDirectory();
  EXPECT_EQ(std::filesystem::status(directory).permissions(),
            std::filesystem::perms::owner_all);
}

TEST_F(StateDirectoryTest, SaysSoWhenThereIsNoPlace) {
  EXPECT_EQ(MakeStateDirectory().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(StateDirectoryTest, SaysSoWhenItCannotBeMade) {
  Set("STATE_DIRECTORY", "/proc/none");
  EXPECT_EQ(MakeStateDirectory().status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stowage
