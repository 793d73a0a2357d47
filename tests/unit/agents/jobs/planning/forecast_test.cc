#include "agents/jobs/planning/forecast.h"

#include <memory>
#include <string>

#include "gtest/gtest.h"
#include "policies/plan/limit_too_small.h"

namespace stowage::agent {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

class ForecastTest : public testing::Test {
 protected:
  ForecastTest()
      : report_(std::make_unique<session::Report>()),
        forecast_(report_->forecast),
        writer_(report_.get()) {
    report_->limit_bytes = 10 * kMiB;
    report_->tensor_peak_bytes = 25 * kMiB;
    for (int k = 0; k < 2; ++k) {
      v1::Kernel* kernel = graph_.add_kernels();
      kernel->set_gap_ns(100);
      kernel->mutable_profile()
          ->mutable_fast_inputs_fast_outputs()
          ->set_duration_ns(900);
    }
    plan_.set_policy("belady");
    plan_.mutable_prediction()->set_step_time_ns(2140);
  }

  static absl::Status TooSmall(int64_t least_bytes) {
    return policies::LimitTooSmallError(
        {.least_limit_bytes = least_bytes, .kernel = 1, .kernel_name = "mm"},
        "for people");
  }

  std::unique_ptr<session::Report> report_;
  session::Forecast& forecast_;
  ForecastWriter writer_;
  v1::Graph graph_;
  v1::Plan plan_;
};

TEST_F(ForecastTest, SaysHowMuchSlowerAPlanIsThanTrainingAlone) {
  writer_.NotePlan(plan_, graph_);
  EXPECT_EQ(forecast_.kind, session::kForecastPlan);
  EXPECT_EQ(forecast_.kernel, -1);
  EXPECT_EQ(forecast_.alone_step_ns, 2000);
  EXPECT_EQ(forecast_.step_ns, 2140);
  EXPECT_EQ(forecast_.least_limit_bytes, 0);
  EXPECT_STREQ(forecast_.line,
               "planned by belady: 1.07x the time of training alone expected");
}

TEST_F(ForecastTest, SaysWhatStreamsUnderAPlan) {
  for (const int64_t bytes : {2 * kMiB, 3 * kMiB}) {
    graph_.add_tensors()->set_size_bytes(bytes);
  }
  v1::Stream* stream = plan_.add_streams();
  stream->add_tensors(0);
  stream->add_tensors(1);
  stream->add_tensors(7);  // from a service of another release
  writer_.NotePlan(plan_, graph_);
  EXPECT_STREQ(forecast_.line,
               "planned by belady: at least 1.07x the time of training alone "
               "expected, with kernels that stream 5.00 MiB that the limit has "
               "no room for");
}

TEST_F(ForecastTest, SaysWhichLimitWouldPlanWhereThereIsNoPlan) {
  writer_.NoteNoPlan(TooSmall(18 * kMiB), graph_, /*step_ns=*/26000);
  EXPECT_EQ(forecast_.kind, session::kForecastNoPlan);
  EXPECT_EQ(forecast_.kernel, 1);
  EXPECT_EQ(forecast_.alone_step_ns, 2000);
  EXPECT_EQ(forecast_.step_ns, 26000);
  EXPECT_EQ(forecast_.least_limit_bytes, 18 * kMiB);
  EXPECT_STREQ(
      forecast_.line,
      "no plan: kernel 1 (mm) needs 18.0 MiB and the limit is 10.0 MiB;"
      " steps take at least 13x as long as alone; --fast 19MiB (73%)"
      " would plan");
}

TEST_F(ForecastTest, NamesNoShareThatIsMoreThanAll) {
  writer_.NoteNoPlan(TooSmall(30 * kMiB), graph_, /*step_ns=*/26000);
  EXPECT_NE(std::string(forecast_.line).find("--fast 31MiB would plan"),
            std::string::npos)
      << forecast_.line;
}

TEST_F(ForecastTest, GivesAnyOtherReasonAsItIs) {
  writer_.NoteNoPlan(absl::UnavailableError("nobody answers"), graph_,
                     /*step_ns=*/4000);
  EXPECT_EQ(forecast_.kernel, -1);
  EXPECT_EQ(forecast_.least_limit_bytes, 0);
  EXPECT_STREQ(
      forecast_.line,
      "no plan: nobody answers; steps take at least 2.00x as long as alone");
}

TEST_F(ForecastTest, TheFirstAnswerStands) {
  writer_.NoteNoPlan(absl::UnavailableError("nobody answers"), graph_, 4000);
  writer_.NotePlan(plan_, graph_);
  EXPECT_EQ(forecast_.kind, session::kForecastNoPlan);
}

TEST_F(ForecastTest, AJobWithoutALimitIsToldNothing) {
  report_->limit_bytes = 0;
  writer_.NotePlan(plan_, graph_);
  EXPECT_EQ(forecast_.kind, 0u);
}

}  // namespace
}  // namespace stowage::agent
