#include "client_sdk/runtime/connection/report_log.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(ReportLogTest, AnEventBelongsToTheStepThatRuns) {
  auto report = std::make_unique<session::Report>();
  ReportEvent(report.get(), "first", "before any step has ended");
  ReportStep(report.get(), {.index = 0, .mode = session::kStepDemand});
  ReportEvent(report.get(), "second", "", /*kernel=*/7);
  const session::EventLog& log = report->process_events;
  ASSERT_EQ(log.written, 2u);
  EXPECT_EQ(log.entries[0].step, 0);
  EXPECT_EQ(log.entries[0].kernel, -1);
  EXPECT_STREQ(log.entries[0].detail, "before any step has ended");
  EXPECT_EQ(log.entries[1].step, 1);
  EXPECT_EQ(log.entries[1].kernel, 7);
  EXPECT_STREQ(log.entries[1].reason, "second");
}

TEST(ReportLogTest, TextThatDoesNotFitIsCut) {
  auto report = std::make_unique<session::Report>();
  ReportEvent(report.get(), std::string(1000, 'r'), std::string(1000, 'd'));
  const session::EventRecord& event = report->process_events.entries[0];
  EXPECT_EQ(std::string(event.reason),
            std::string(sizeof(event.reason) - 1, 'r'));
  EXPECT_EQ(std::string(event.detail),
            std::string(sizeof(event.detail) - 1, 'd'));
}

TEST(ReportLogTest, TheLastEntriesOfAFullLogRemain) {
  auto report = std::make_unique<session::Report>();
  for (uint64_t i = 0; i < session::kEventEntries + 1; ++i) {
    ReportEvent(report.get(), std::to_string(i), "");
  }
  const session::EventLog& log = report->process_events;
  EXPECT_EQ(log.written, session::kEventEntries + 1);
  EXPECT_EQ(std::string(log.entries[0].reason),
            std::to_string(session::kEventEntries));
  EXPECT_STREQ(log.entries[1].reason, "1");
}

}  // namespace
}  // namespace stowage::runtime
