#include "server/runtime/drain_times.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

TEST(DrainTimesTest, WithoutAGraceTheFirstPhaseIsEmpty) {
  const auto times = DivideGrace({});
  EXPECT_EQ(times->delay, absl::ZeroDuration());
  EXPECT_EQ(times->timeout, absl::Seconds(10));
}

TEST(DrainTimesTest, WithoutAGraceBothAreAsTheyWereSet) {
  const auto times =
      DivideGrace({.delay = absl::Hours(1), .timeout = absl::Seconds(1)});
  EXPECT_EQ(times->delay, absl::Hours(1));
  EXPECT_EQ(times->timeout, absl::Seconds(1));
}

TEST(DrainTimesTest, DividesTheUsualGraceOfAPod) {
  const auto times = DivideGrace({.grace = absl::Seconds(30)});
  EXPECT_EQ(times->delay, absl::Seconds(5));
  EXPECT_EQ(times->timeout, absl::Seconds(22));
}

TEST(DrainTimesTest, LeavesASecondAtLeastBeforeTheKill) {
  for (int64_t ms = 2000; ms <= 3'600'000; ms += 997) {
    const absl::Duration grace = absl::Milliseconds(ms);
    const auto times = DivideGrace({.grace = grace});
    ASSERT_TRUE(times.ok()) << times.status();
    EXPECT_GT(times->delay, absl::ZeroDuration());
    EXPECT_GT(times->timeout, absl::ZeroDuration());
    EXPECT_LE(times->delay + times->timeout, grace - absl::Seconds(1));
  }
}

TEST(DrainTimesTest, WhatWasSetStaysAndTheOtherGetsTheRest) {
  const auto delayed =
      DivideGrace({.grace = absl::Seconds(30), .delay = absl::Seconds(20)});
  EXPECT_EQ(delayed->delay, absl::Seconds(20));
  EXPECT_EQ(delayed->timeout, absl::Seconds(7));
  const auto patient =
      DivideGrace({.grace = absl::Seconds(30), .timeout = absl::Seconds(26)});
  EXPECT_EQ(patient->delay, absl::Seconds(1));
  EXPECT_EQ(patient->timeout, absl::Seconds(26));
}

TEST(DrainTimesTest, RefusesWhatIsBeyondTheGrace) {
  for (const DrainRequest& request :
       {DrainRequest{.grace = absl::Seconds(30), .delay = absl::Seconds(28)},
        DrainRequest{.grace = absl::Seconds(30), .timeout = absl::Seconds(28)},
        DrainRequest{.grace = absl::Seconds(30),
        .delay = absl::Seconds(14),
        .timeout = absl::Seconds(14)}}) {
    EXPECT_THAT(DivideGrace(request).status().message(),
                HasSubstr("3s to end take longer"));
  }
  EXPECT_THAT(DivideGrace({.grace = absl::Seconds(1)}).status().message(),
              HasSubstr("is 1s; name 2s to 1h"));
}

}  // namespace
}  // namespace stowage
