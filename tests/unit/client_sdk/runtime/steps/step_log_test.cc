#include "client_sdk/runtime/steps/step_log.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/temp_directory.h"

namespace stowage::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StrEq;

class StepLogTest : public testing::Test {
 protected:
  void Add(int64_t index, StepLog* log) {
    log->Add({.index = index}, /*kind=*/0, /*surprise=*/"");
  }
  std::string Text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  std::string LastEvent() const {
    const session::EventLog& log = report_->process_events;
    return log.written == 0 ? "" : log.entries[log.written - 1].detail;
  }

  const agent::TempDirectory directory_;
  const std::string path_ = directory_.path() + "/steps.jsonl";
  const std::unique_ptr<session::Report> report_ =
      std::make_unique<session::Report>();
};

TEST_F(StepLogTest, WritesALineForEachStepBehindThoseOfOthers) {
  std::ofstream(path_) << "another rank's\n";
  StepLog log(report_.get(), path_);
  Add(7, &log);
  Add(8, &log);
  const std::string text = Text();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, AllOf(HasSubstr("another rank's\n{"),
                          HasSubstr("\"step\":7"), HasSubstr("\"step\":8")));
}

TEST_F(StepLogTest, CollectsLinesOnceSomebodyTakesThem) {
  StepLog log(report_.get(), "");
  Add(1, &log);
  EXPECT_THAT(log.Take(), StrEq(""));
  Add(2, &log);
  EXPECT_THAT(log.Take(), HasSubstr("\"step\":2"));
  EXPECT_THAT(log.Take(), StrEq(""));
}

TEST_F(StepLogTest, KeepsTheLastLinesForWhoTakesThemLate) {
  StepLog log(report_.get(), "");
  log.Take();
  for (size_t i = 0; i < StepLog::kMostLines + 2; ++i) Add(i, &log);
  const std::string lines = log.Take();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), StepLog::kMostLines);
  EXPECT_THAT(lines, HasSubstr("\"step\":2,"));
  EXPECT_EQ(lines.find("\"step\":1,"), std::string::npos);
}

TEST_F(StepLogTest, AFileThatCannotBeWrittenIsToldOnce) {
  StepLog log(report_.get(), directory_.path() + "/none/steps.jsonl");
  Add(1, &log);
  Add(2, &log);
  EXPECT_EQ(report_->process_events.written, 1u);
  EXPECT_THAT(LastEvent(), HasSubstr("No such file or directory"));
}

TEST_F(StepLogTest, AFullDiskEndsTheLines) {
  StepLog log(report_.get(), "/dev/full");
  Add(1, &log);
  Add(2, &log);
  EXPECT_EQ(report_->process_events.written, 1u);
  EXPECT_THAT(LastEvent(), HasSubstr("No space left on device"));
}

}  // namespace
}  // namespace stowage::runtime
