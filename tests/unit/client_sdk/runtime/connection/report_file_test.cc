#include "client_sdk/runtime/connection/report_file.h"

#include <stdio.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "client_sdk/session/packed_report.h"
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

  std::stringstream bytes;
  bytes << std::ifstream(directory.path() + "/run-123.session").rdbuf();
  auto read = std::make_unique<session::Report>();
  ASSERT_TRUE(session::UnpackReport(bytes.str(), read.get()));
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
