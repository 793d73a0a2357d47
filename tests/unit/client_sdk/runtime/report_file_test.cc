#include "client_sdk/runtime/report_file.h"

#include <stdio.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::runtime {
namespace {

TEST(ReportFileTest, WritesTheWholeReportUnderItsRunAndProcess) {
  agent::TempDirectory directory;
  auto report = std::make_unique<session::Report>();
  report->magic = session::kMagic;
  report->pid = 123;
  report->steps.written = 1;
  report->steps.entries[0].duration_ns = 77;
  ASSERT_TRUE(WriteReportFile(directory.path(), "run", *report));

  auto read = std::make_unique<session::Report>();
  std::ifstream file(directory.path() + "/run-123.session", std::ios::binary);
  file.read(reinterpret_cast<char*>(read.get()), sizeof(*read));
  EXPECT_EQ(file.gcount(), sizeof(*read));
  EXPECT_EQ(file.peek(), EOF);
  EXPECT_EQ(read->magic, session::kMagic);
  EXPECT_EQ(read->steps.entries[0].duration_ns, 77);
  // Nothing else is left behind.
  std::filesystem::directory_iterator entries(directory.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(ReportFileTest, SaysWhenTheDirectoryIsMissing) {
  agent::TempDirectory directory;
  auto report = std::make_unique<session::Report>();
  EXPECT_FALSE(WriteReportFile(directory.path() + "/none", "run", *report));
}

}  // namespace
}  // namespace stowage::runtime
