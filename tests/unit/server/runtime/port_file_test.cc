#include "server/runtime/port_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/server/testing.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

std::string Contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(PortFileTest, HoldsTheAddressesALineEach) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/ports";
  ASSERT_TRUE(WritePortFile(path, {"127.0.0.1:1", "127.0.0.1:2"}).ok());
  EXPECT_EQ(Contents(path), "127.0.0.1:1\n127.0.0.1:2\n");
}

TEST(PortFileTest, ReplacesAnOldOneAndLeavesNoDraft) {
  TemporaryDirectory directory;
  const std::string path = directory.path() + "/ports";
  ASSERT_TRUE(WritePortFile(path, {"a", "b"}).ok());
  ASSERT_TRUE(WritePortFile(path, {"c", ""}).ok());
  EXPECT_EQ(Contents(path), "c\n\n");
  EXPECT_EQ(
      std::distance(std::filesystem::directory_iterator(directory.path()), {}),
      1);
}

TEST(PortFileTest, SaysWhichPathCannotBeWritten) {
  const absl::Status status = WritePortFile("/proc/none/ports", {"a", "b"});
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(status.message(), HasSubstr("/proc/none/ports"));
}

}  // namespace
}  // namespace stowage
