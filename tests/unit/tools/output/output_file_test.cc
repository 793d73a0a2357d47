#include "tools/stowage/output/output_file.h"

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tools/stowage/inputs/input_file.h"
#include "tools/stowage/process/temp_directory.h"

namespace stowage::cli {
namespace {

using ::testing::HasSubstr;

int FileCount(const std::string& directory) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry :
       std::filesystem::directory_iterator(directory)) {
    ++count;
  }
  return count;
}

TEST(OutputFileTest, ReplacesAFileWholeAndLeavesNothingElse) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  const std::string path = directory->path() + "/report.json";
  ASSERT_TRUE(WriteFileAtomically(path, "old").ok());
  ASSERT_TRUE(WriteFileAtomically(path, "new").ok());
  EXPECT_EQ(*ReadFile(path), "new");
  EXPECT_EQ(FileCount(directory->path()), 1);
}

TEST(OutputFileTest, NamesThePathThatCannotBeWritten) {
  const absl::Status status = CheckWritable("/nonexistent/report.json");
  EXPECT_TRUE(IsOutputError(status)) << status;
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("/nonexistent/report.json"));
}

TEST(OutputFileTest, EmptiesAFileForOthersAndLeavesDevicesAlone) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  const std::string path = directory->path() + "/steps.jsonl";
  for (const char* before : {"", "of an earlier run"}) {
    ASSERT_TRUE(before[0] == '\0' || WriteFileAtomically(path, before).ok());
    EXPECT_TRUE(MakeEmptyFile(path).ok());
    EXPECT_EQ(*ReadFile(path), "");
  }
  EXPECT_TRUE(MakeEmptyFile("/dev/full").ok());
  EXPECT_TRUE(IsOutputError(MakeEmptyFile(directory->path())));
  EXPECT_TRUE(IsOutputError(MakeEmptyFile("/nonexistent/steps.jsonl")));
}

TEST(OutputFileTest, ChecksWithoutLeavingAFile) {
  const absl::StatusOr<TempDirectory> directory = TempDirectory::Make();
  EXPECT_TRUE(CheckWritable(directory->path() + "/report.json").ok());
  EXPECT_EQ(FileCount(directory->path()), 0);
}

TEST(OutputFileTest, RefusesADirectory) {
  EXPECT_FALSE(CheckWritable("/tmp").ok());
}

}  // namespace
}  // namespace stowage::cli
