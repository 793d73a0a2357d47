#include "agents/jobs/admission/slow_directories.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::agent {
namespace {

using ::testing::HasSubstr;

class SlowDirectoriesTest : public testing::Test {
 protected:
  void Make(const std::string& name) const {
    std::filesystem::create_directories(root_ + name);
  }

  TempDirectory directory_;
  const std::string root_ = std::filesystem::canonical(directory_.path());
  const Peer self_{.pid = getpid(), .uid = geteuid(), .gid = getegid()};
};

TEST_F(SlowDirectoriesTest, FollowsSymbolicLinksAndKeepsTheSize) {
  Make("/real");
  std::filesystem::create_directory_symlink(root_ + "/real", root_ + "/link");
  const auto directories = SlowDirectories::Resolve(
      "pmem:" + root_ + "/link/../link/,size=1MiB", {});
  ASSERT_TRUE(directories.ok()) << directories.status();
  EXPECT_EQ(directories->default_tier(), "pmem:" + root_ + "/real,size=1MiB");
  const auto tier =
      directories->TierFor("file:" + root_ + "/link,size=2MiB", self_);
  ASSERT_TRUE(tier.ok()) << tier.status();
  EXPECT_EQ(*tier, "file:" + root_ + "/real,size=2MiB");
}

TEST_F(SlowDirectoriesTest, HasNothingToSayOfTiersWithoutADirectory) {
  EXPECT_EQ(*SlowDirectories().TierFor("emulated:cxl", self_), "emulated:cxl");
  EXPECT_EQ(*SlowDirectories().TierFor("dram,size=1GiB", self_),
            "dram,size=1GiB");
}

TEST_F(SlowDirectoriesTest, TellsNothingOfWhereJobsMayNotLook) {
  Make("/allowed");
  Make("/secret/there");
  std::filesystem::create_directory_symlink(root_ + "/secret",
                                            root_ + "/allowed/link");
  const auto directories =
      SlowDirectories::Resolve("emulated:cxl", {root_ + "/allowed"});
  ASSERT_TRUE(directories.ok()) << directories.status();
  for (const std::string name : {"/secret/there", "/secret/not",
                                 "/allowed/link/there", "/allowed/link/not"}) {
    const auto tier = directories->TierFor("file:" + root_ + name, self_);
    EXPECT_TRUE(absl::IsPermissionDenied(tier.status())) << tier.status();
    EXPECT_THAT(std::string(tier.status().message()),
                HasSubstr("name one of " + root_ + "/allowed,"));
  }
  const auto missing =
      directories->TierFor("file:" + root_ + "/allowed/not", self_);
  EXPECT_TRUE(absl::IsNotFound(missing.status())) << missing.status();
}

TEST_F(SlowDirectoriesTest, RefusesADirectoryWhoseNameReadsAsAnOption) {
  Make("/a,size=1MiB");
  std::filesystem::create_directory_symlink(root_ + "/a,size=1MiB",
                                            root_ + "/link");
  const auto directories = SlowDirectories::Resolve("emulated:cxl", {"/"});
  const auto tier = directories->TierFor("file:" + root_ + "/link", self_);
  EXPECT_TRUE(absl::IsInvalidArgument(tier.status())) << tier.status();
}

}  // namespace
}  // namespace stowage::agent
