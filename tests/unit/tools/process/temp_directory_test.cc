#include "tools/stowage/process/temp_directory.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::cli {
namespace {

namespace fs = std::filesystem;

// Makes directories in one of the test's own.
class TempDirectoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_NE(mkdtemp(base_.data()), nullptr);
    setenv("XDG_RUNTIME_DIR", base_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("XDG_RUNTIME_DIR");
    fs::remove_all(base_);
  }

  // Makes a directory with a file in it and is killed.
  static void BeKilled() {
    const pid_t child = fork();
    if (child == 0) {
      const auto directory = TempDirectory::Make();
      std::ofstream(directory->path() + "/agent.log") << "started";
      raise(SIGKILL);
    }
    waitpid(child, nullptr, 0);
  }

  int Entries() const {
    return std::distance(fs::directory_iterator(base_),
                         fs::directory_iterator());
  }

  std::string base_ = "/tmp/temp-directory-test-XXXXXX";
};

TEST_F(TempDirectoryTest, TellsWhichAreInUse) {
  BeKilled();
  fs::create_directory(base_ + "/stowage-run-nobody");
  EXPECT_EQ(TempDirectory::InUse(), std::vector<std::string>());
  const auto first = TempDirectory::Make();
  const auto second = TempDirectory::Make();
  std::vector<std::string> paths = {first->path(), second->path()};
  std::sort(paths.begin(), paths.end());
  EXPECT_EQ(TempDirectory::InUse(), paths);
}

TEST_F(TempDirectoryTest, IsPrivateAndRemovedWithItsContent) {
  {
    const auto directory = TempDirectory::Make();
    ASSERT_TRUE(directory.ok()) << directory.status();
    EXPECT_EQ(fs::status(directory->path()).permissions(),
              fs::perms::owner_all);
    std::ofstream(directory->path() + "/agent.log") << "started";
  }
  EXPECT_EQ(Entries(), 0);
}

TEST_F(TempDirectoryTest, TheNextOneRemovesWhatAKilledProcessLeft) {
  BeKilled();
  ASSERT_EQ(Entries(), 1);
  const auto directory = TempDirectory::Make();
  EXPECT_EQ(Entries(), 1);
  EXPECT_TRUE(fs::is_empty(directory->path()));
}

TEST_F(TempDirectoryTest, TheNextOneLeavesThoseOfLiveProcesses) {
  const auto first = TempDirectory::Make(), second = TempDirectory::Make();
  EXPECT_TRUE(fs::exists(first->path()));
  EXPECT_TRUE(fs::exists(second->path()));
}

TEST_F(TempDirectoryTest, TheNextOneLeavesWhatIsNotOurs) {
  fs::create_directory(base_ + "/stowage-run-of-yesterday");
  fs::create_directory(base_ + "/elsewhere");
  fs::create_symlink(base_ + "/elsewhere", base_ + "/stowage-run-abcdef");
  const auto directory = TempDirectory::Make();
  EXPECT_TRUE(fs::exists(base_ + "/stowage-run-of-yesterday"));
  EXPECT_TRUE(fs::exists(base_ + "/stowage-run-abcdef"));
}

TEST_F(TempDirectoryTest, SaysWhatToDoWhereNoneCanBeMade) {
  setenv("XDG_RUNTIME_DIR", "/proc", 1);
  const absl::Status status = TempDirectory::Make().status();
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("XDG_RUNTIME_DIR"), std::string::npos);
}

}  // namespace
}  // namespace stowage::cli
