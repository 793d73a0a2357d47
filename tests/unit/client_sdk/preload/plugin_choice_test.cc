#include "client_sdk/preload/plugin_choice.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace stowage::preload {
namespace {

namespace fs = std::filesystem;

// Writes a file with its folders.
void Write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

class PluginChoiceTest : public testing::Test {
 protected:
  PluginChoiceTest() : root_(fs::path(testing::TempDir()) / "plugin_choice") {
    fs::remove_all(root_);
    Write(c10_, "");
    setenv("HOME", root_.c_str(), 1);
    unsetenv("XDG_DATA_HOME");
  }

  bool Choose() {
    return ChoosePlugin(c10_.c_str(), installed_.c_str(), &choice_);
  }
  std::string PluginIn(const fs::path& directory, const std::string& version) {
    const fs::path path =
        directory / "stowage" / ("torch-" + version) / "libstowage_torch.so";
    Write(path, "");
    return path;
  }

  const fs::path root_;
  const fs::path c10_ = root_ / "site-packages/torch/lib/libc10.so";
  const fs::path version_py_ = root_ / "site-packages/torch/version.py";
  const fs::path installed_ = root_ / "opt/lib/libstowage_torch.so";
  PluginChoice choice_;
};

TEST_F(PluginChoiceTest, TheDistributionsPyTorchGetsTheInstalledPlugIn) {
  ASSERT_TRUE(Choose());
  EXPECT_EQ(choice_.path, installed_.string());
  EXPECT_STREQ(choice_.version, "");
}

TEST_F(PluginChoiceTest, AVersionGetsThePlugInThatWasBuiltForIt) {
  Write(version_py_, "import x\n__version__ = '2.15.0+cu132'\ndebug = False\n");
  const std::string built = PluginIn(root_ / ".local/share", "2.15.0");
  PluginIn(root_ / ".local/share", "2.15.1");
  ASSERT_TRUE(Choose());
  EXPECT_EQ(choice_.path, built);
  EXPECT_STREQ(choice_.version, "2.15.0");
}

TEST_F(PluginChoiceTest, ThePlugInBesideTheInstalledOneComesFirst) {
  Write(version_py_, "\n__version__ = '2.6.0'\n");
  PluginIn(root_ / ".local/share", "2.6.0");
  const fs::path beside = PluginIn(root_ / "opt/lib", "2.6.0");
  ASSERT_TRUE(Choose());
  EXPECT_TRUE(fs::equivalent(choice_.path, beside)) << choice_.path;
}

TEST_F(PluginChoiceTest, TheUsersDataDirectoryMayBeElsewhere) {
  Write(version_py_, "\n__version__ = '2.6.0'\n");
  PluginIn(root_ / "data", "2.6.0");
  EXPECT_FALSE(Choose());
  setenv("XDG_DATA_HOME", (root_ / "data").c_str(), 1);
  EXPECT_TRUE(Choose());
}

TEST_F(PluginChoiceTest, AVersionWithoutAPlugInSaysWhereItIs) {
  Write(version_py_, "\n__version__ = '2.14.1'\n");
  EXPECT_FALSE(Choose());
  EXPECT_STREQ(choice_.version, "2.14.1");
  EXPECT_TRUE(fs::equivalent(choice_.torch_dir, version_py_.parent_path()));
}

TEST_F(PluginChoiceTest, LibTorchOfAnArchiveSaysItsVersion) {
  Write(root_ / "site-packages/torch/build-version", "2.7.1+cpu\n");
  EXPECT_FALSE(Choose());
  EXPECT_STREQ(choice_.version, "2.7.1");
}

TEST_F(PluginChoiceTest, AVersionNamesNoPlaceOutsideTheDirectory) {
  Write(version_py_, "\n__version__ = '../../etc'\n");
  EXPECT_FALSE(Choose());
  EXPECT_EQ(std::string(choice_.version).find('/'), std::string::npos);
}

TEST_F(PluginChoiceTest, AVersionThatIsTooLongIsCut) {
  Write(version_py_, "\n__version__ = '" + std::string(3000, '1') + "'\n");
  EXPECT_FALSE(Choose());
  EXPECT_EQ(std::string(choice_.version).size(), sizeof(choice_.version) - 1);
}

}  // namespace
}  // namespace stowage::preload
