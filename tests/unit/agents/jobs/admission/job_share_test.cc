#include "agents/jobs/admission/job_share.h"

#include <cstdint>
#include <limits>
#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;
using ::testing::Optional;

constexpr FastNeed kSeen{.steps = 2, .tensor_peak_bytes = 100 * kMiB};

TEST(WantedBytesTest, NobodyKnowsBeforeTwoSteps) {
  EXPECT_EQ(WantedBytes({}, {.steps = 1, .tensor_peak_bytes = kMiB}),
            std::nullopt);
  EXPECT_EQ(WantedBytes({}, {.steps = 9, .tensor_peak_bytes = 0}),
            std::nullopt);
}

TEST(WantedBytesTest, IsNeverMoreThanTheLimit) {
  EXPECT_THAT(WantedBytes({.limit_bytes = 60 * kMiB}, kSeen),
              Optional(60 * kMiB));
  EXPECT_THAT(WantedBytes({.limit_fraction = 0.4}, kSeen),
              Optional(AllOf(Ge(40 * kMiB), Le(41 * kMiB))));
}

TEST(WantedBytesTest, IsNotMuchMoreThanTheTensorsNeed) {
  const auto all = Optional(AllOf(Ge(105 * kMiB), Le(130 * kMiB)));
  EXPECT_THAT(WantedBytes({}, kSeen), all);
  EXPECT_THAT(WantedBytes({.limit_bytes = 1000 * kMiB}, kSeen), all);
}

TEST(WantedBytesTest, IsANumberWhateverTheJobSaysOfItsPeak) {
  const FastNeed need{.steps = 2,
                      .tensor_peak_bytes = std::numeric_limits<int64_t>::max()};
  EXPECT_THAT(WantedBytes({}, need),
              Optional(AllOf(Ge(int64_t{1} << 60), Le(int64_t{1} << 61))));
}

TEST(FirstClaimTest, TheFloorIsHalfOfALimitInBytes) {
  const FastClaim claim = FirstClaim({.bytes = 60 * kMiB}, 0, 100 * kMiB);
  EXPECT_EQ(claim.floor_bytes, 30 * kMiB);
  EXPECT_EQ(claim.want_bytes, 60 * kMiB);
}

TEST(FirstClaimTest, AFloorThatIsStatedCounts) {
  const FastClaim claim = FirstClaim({.bytes = 60 * kMiB}, 7, 100 * kMiB);
  EXPECT_EQ(claim.floor_bytes, 7);
}

TEST(FirstClaimTest, AShareMayTurnOutToBeAnything) {
  const FastClaim claim = FirstClaim({.fraction = 0.4}, 0, 160 * kMiB);
  EXPECT_EQ(claim.floor_bytes, 10 * kMiB);
  EXPECT_EQ(claim.want_bytes, 160 * kMiB);
}

TEST(ReturningClaimTest, WantsWhatTheJobHadAndNeverMoreThanItsLimit) {
  const JobRequest request{.fast_limit = {.bytes = 60 * kMiB},
                           .comes_back = true};
  const auto report = std::make_unique<session::Report>();
  report->tensor_peak_bytes = 50 * kMiB;
  EXPECT_EQ(ReturningClaim(request, *report, 100 * kMiB).want_bytes, 50 * kMiB);
  report->limit_bytes = 40 * kMiB;
  EXPECT_EQ(ReturningClaim(request, *report, 100 * kMiB).want_bytes, 40 * kMiB);
  report->limit_bytes = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(ReturningClaim(request, *report, 100 * kMiB).want_bytes, 60 * kMiB);
}

TEST(ReturningClaimTest, WantsItsFloorWhereTheJobReportsNothing) {
  const JobRequest request{.comes_back = true};
  const auto report = std::make_unique<session::Report>();
  EXPECT_EQ(ReturningClaim(request, *report, 160 * kMiB).want_bytes, 10 * kMiB);
  report->limit_bytes = report->tensor_peak_bytes = -7;
  EXPECT_EQ(ReturningClaim(request, *report, 160 * kMiB).want_bytes, 10 * kMiB);
}

TEST(ReturningClaimTest, AFloorAboveTheTotalIsNoneThatTheJobHad) {
  JobRequest request{.fast_limit = {.bytes = 60 * kMiB},
                     .floor_bytes = 100 * kMiB,
                     .comes_back = true};
  const auto report = std::make_unique<session::Report>();
  EXPECT_EQ(ReturningClaim(request, *report, 100 * kMiB).floor_bytes,
            100 * kMiB);
  ++request.floor_bytes;
  EXPECT_EQ(ReturningClaim(request, *report, 100 * kMiB).floor_bytes,
            30 * kMiB);
}

// Plays a job that obeys in each step.
class Obedient {
 public:
  Obedient(FastMemory* memory, int64_t limit_bytes) {
    JobRequest request{.fast_limit = {.bytes = limit_bytes}};
    auto share = JobShare::Join(request, report_.get(), /*taken_bytes=*/0,
                                memory, [] { return false; });
    EXPECT_TRUE(share.ok()) << share.status();
    share_ = *std::move(share);
    first_ = OrderOf(request.fast_limit, share_->first_most_bytes());
    orders_ = std::make_unique<LimitOrders>(&area_, first_);
    report_->tensor_peak_bytes = 100 * kMiB;
  }
  void Step() {
    report_->steps.written = report_->steps.written + 1;
    orders_->Poll();
    area_.taken = area_.ordered.load();
    orders_->Poll();
    share_->Follow(*orders_, asked_curve_);
  }
  AskedCurve& asked_curve() { return asked_curve_; }
  int64_t most_bytes() const { return orders_->in_force().most_bytes; }

 private:
  std::unique_ptr<session::Report> report_ =
      std::make_unique<session::Report>();
  session::LimitArea area_{};
  AskedCurve asked_curve_;
  session::LimitOrder first_{};
  std::unique_ptr<LimitOrders> orders_;
  std::unique_ptr<JobShare> share_;
};

TEST(JobShareTest, TwoThatWantSixtyPercentGetHalfEach) {
  FastMemory memory(100 * kMiB);
  Obedient first(&memory, 60 * kMiB);
  Obedient second(&memory, 60 * kMiB);
  EXPECT_EQ(first.most_bytes() + second.most_bytes(), 100 * kMiB);
  for (int i = 0; i < 10; ++i) {
    first.Step();
    second.Step();
    ASSERT_LE(first.most_bytes() + second.most_bytes(), 100 * kMiB);
  }
  EXPECT_EQ(first.most_bytes(), 50 * kMiB);
  EXPECT_EQ(second.most_bytes(), 50 * kMiB);
}

TEST(JobShareTest, TheOneThatGainsMoreByMemoryGetsMore) {
  FastMemory memory(100 * kMiB);
  Obedient first(&memory, 60 * kMiB);
  Obedient second(&memory, 60 * kMiB);
  for (int i = 0; i < 10; ++i) {
    first.Step();
    second.Step();
    ASSERT_LE(first.most_bytes() + second.most_bytes(), 100 * kMiB);
    if (first.asked_curve().Take(0).has_value()) {
      first.asked_curve().Answer({{30 * kMiB, 1'000}, {60 * kMiB, 990}});
    }
    if (const auto range = second.asked_curve().Take(0)) {
      EXPECT_EQ(range->least_bytes, 30 * kMiB);
      EXPECT_EQ(range->most_bytes, 60 * kMiB);
      second.asked_curve().Answer({{30 * kMiB, 1'000}, {60 * kMiB, 500}});
    }
  }
  EXPECT_EQ(first.most_bytes(), 40 * kMiB);
  EXPECT_EQ(second.most_bytes(), 60 * kMiB);
}

}  // namespace
}  // namespace stowage::agent
