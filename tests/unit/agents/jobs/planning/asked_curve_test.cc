#include "agents/jobs/planning/asked_curve.h"

#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

constexpr CurveRange kAskedRange{.least_bytes = 20 * kMiB,
                                 .most_bytes = 60 * kMiB};
constexpr int64_t kLaterNs = 61'000'000'000;

TEST(AskedCurveTest, IsAnsweredOnce) {
  AskedCurve asked;
  EXPECT_FALSE(asked.Take(0).has_value());
  asked.Ask(kAskedRange);
  ASSERT_TRUE(asked.Take(0).has_value());
  EXPECT_FALSE(asked.Take(0).has_value());
  EXPECT_FALSE(asked.TakeAnswer().has_value());
  asked.Answer({{.limit_bytes = kMiB, .step_ns = 5}});
  ASSERT_TRUE(asked.TakeAnswer().has_value());
  EXPECT_FALSE(asked.TakeAnswer().has_value());
}

TEST(AskedCurveTest, TheSameRangeIsNotAskedForTwice) {
  AskedCurve asked;
  asked.Ask(kAskedRange);
  asked.Take(0);
  asked.Ask(CurveRange{.least_bytes = 20 * kMiB, .most_bytes = 61 * kMiB});
  EXPECT_FALSE(asked.Take(kLaterNs).has_value());
  asked.Ask(CurveRange{.least_bytes = 20 * kMiB, .most_bytes = 90 * kMiB});
  EXPECT_TRUE(asked.Take(kLaterNs).has_value());
}

TEST(AskedCurveTest, IsAskedForAgainAfterAPauseWhileItIsOfInterest) {
  AskedCurve asked;
  asked.AskAgain();
  EXPECT_FALSE(asked.Take(0).has_value());
  asked.Ask(kAskedRange);
  asked.Take(0);
  asked.AskAgain();
  EXPECT_FALSE(asked.Take(kLaterNs / 2).has_value());
  EXPECT_TRUE(asked.Take(kLaterNs).has_value());
  asked.Ask(std::nullopt);
  asked.AskAgain();
  EXPECT_FALSE(asked.Take(2 * kLaterNs).has_value());
}

TEST(AskedCurveTest, WhatIsPutBackIsTakenAtOnce) {
  AskedCurve asked;
  asked.Ask(kAskedRange);
  asked.Take(0);
  asked.PutBack();
  EXPECT_TRUE(asked.Take(1).has_value());
}

}  // namespace
}  // namespace stowage::agent
