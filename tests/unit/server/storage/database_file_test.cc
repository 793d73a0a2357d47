#include "server/storage/database_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

mode_t ModeOf(const std::string& path) {
  struct stat file = {};
  EXPECT_EQ(stat(path.c_str(), &file), 0) << path;
  return file.st_mode & 07777;
}

class DatabaseFileTest : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/a.db";
};

TEST_F(DatabaseFileTest, IsMadeForItsOwnerAlone) {
  for (const mode_t mask : {0, 0777}) {
    const mode_t before = umask(mask);
    const auto file = DatabaseFile::Claim(absl::StrCat(path_, mask));
    umask(before);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(ModeOf(absl::StrCat(path_, mask)), 0600);
    EXPECT_THAT(file->warning(), IsEmpty());
  }
}

TEST_F(DatabaseFileTest, WarnsOfAFileThatOthersMayUse) {
  std::ofstream(path_).close();
  chmod(path_.c_str(), 0640);
  const auto file = DatabaseFile::Claim(path_);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(ModeOf(path_), 0640);
  EXPECT_THAT(file->warning(), HasSubstr(path_));
  EXPECT_THAT(file->warning(), HasSubstr("0640"));
  EXPECT_THAT(file->warning(), HasSubstr("chmod 600"));
}

TEST_F(DatabaseFileTest, BelongsToOneHolder) {
  auto first = DatabaseFile::Claim(path_);
  ASSERT_TRUE(first.ok()) << first.status();
  const std::string link = directory_.path() + "/link.db";
  std::filesystem::create_symlink(path_, link);
  for (const std::string& name : {path_, link}) {
    const absl::Status second = DatabaseFile::Claim(name).status();
    EXPECT_TRUE(absl::IsFailedPrecondition(second)) << second;
    EXPECT_THAT(std::string(second.message()),
                HasSubstr(absl::StrCat("process ", getpid())));
  }
  first = absl::CancelledError();
  EXPECT_TRUE(DatabaseFile::Claim(path_).ok());
}

TEST_F(DatabaseFileTest, SaysWhyItCannotBeMade) {
  const absl::Status status =
      DatabaseFile::Claim(directory_.path() + "/missing/a.db").status();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("--db"));
}

TEST_F(DatabaseFileTest, MemoryIsNoFile) {
  EXPECT_TRUE(DatabaseFile::Claim(":memory:").ok());
  EXPECT_TRUE(DatabaseFile::Claim(":memory:").ok());
}

}  // namespace
}  // namespace stowage
