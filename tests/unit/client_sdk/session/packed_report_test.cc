#include "client_sdk/session/packed_report.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"

namespace stowage::session {
namespace {

class PackedReportTest : public testing::Test {
 protected:
  PackedReportTest() {
    report_->magic = kMagic;
    report_->steps.entries[0].duration_ns = 77;
    report_->steps.written = 1;
    report_->agent_events.entries[1].step = 5;
    report_->agent_events.written = 2;
  }

  const std::unique_ptr<Report> report_ = std::make_unique<Report>();
  const std::unique_ptr<Report> unpacked_ = std::make_unique<Report>();
};

TEST_F(PackedReportTest, GivesBackWhatWasPacked) {
  ASSERT_TRUE(UnpackReport(PackReport(*report_), unpacked_.get()));
  EXPECT_EQ(unpacked_->magic, kMagic);
  EXPECT_EQ(unpacked_->steps.written, 1);
  EXPECT_EQ(unpacked_->steps.entries[0].duration_ns, 77);
  EXPECT_EQ(unpacked_->process_events.written, 0);
  EXPECT_EQ(unpacked_->agent_events.entries[1].step, 5);
}

TEST_F(PackedReportTest, IsAsLongAsWhatHappened) {
  EXPECT_LT(PackReport(*unpacked_).size(), 2048);
  EXPECT_EQ(PackReport(*report_).size() - PackReport(*unpacked_).size(),
            sizeof(StepRecord) + 2 * sizeof(EventRecord));
}

TEST_F(PackedReportTest, HoldsALogThatWrappedAroundOnce) {
  report_->steps.written = kStepEntries + 3;
  report_->steps.entries[2].duration_ns = 99;
  ASSERT_TRUE(UnpackReport(PackReport(*report_), unpacked_.get()));
  EXPECT_EQ(unpacked_->steps.written, kStepEntries + 3);
  EXPECT_EQ(unpacked_->steps.entries[2].duration_ns, 99);
}

TEST_F(PackedReportTest, BoundsWhatAHostileCounterClaims) {
  report_->steps.written = ~uint64_t{0};
  report_->process_events.written = ~uint64_t{0};
  const std::string bytes = PackReport(*report_);
  EXPECT_LE(bytes.size(), sizeof(Report));
  EXPECT_TRUE(UnpackReport(bytes, unpacked_.get()));
}

TEST_F(PackedReportTest, RefusesEveryOtherLength) {
  const std::string bytes = PackReport(*report_);
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(UnpackReport(bytes.substr(0, size), unpacked_.get())) << size;
  }
  EXPECT_FALSE(UnpackReport(bytes + "x", unpacked_.get()));
}

}  // namespace
}  // namespace stowage::session
