#include "agents/jobs/asked_curve.h"

#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

constexpr CurveRange kAskedRange{.least_bytes = 20 * kMiB,
                                 .most_bytes = 60 * kMiB};

TEST(AskedCurveTest, IsAnsweredOnce) {
  AskedCurve asked;
  EXPECT_FALSE(asked.Take().has_value());
  asked.Ask(kAskedRange);
  ASSERT_TRUE(asked.Take().has_value());
  EXPECT_FALSE(asked.Take().has_value());
  EXPECT_FALSE(asked.TakeAnswer().has_value());
  asked.Answer({{.limit_bytes = kMiB, .step_ns = 5}});
  ASSERT_TRUE(asked.TakeAnswer().has_value());
  EXPECT_FALSE(asked.TakeAnswer().has_value());
}

TEST(AskedCurveTest, TheSameRangeIsNotAskedForTwice) {
  AskedCurve asked;
  asked.Ask(kAskedRange);
  asked.Take();
  asked.Ask(CurveRange{.least_bytes = 20 * kMiB, .most_bytes = 61 * kMiB});
  EXPECT_FALSE(asked.Take().has_value());
  asked.Ask(CurveRange{.least_bytes = 20 * kMiB, .most_bytes = 90 * kMiB});
  EXPECT_TRUE(asked.Take().has_value());
}

TEST(AskedCurveTest, IsAskedForAgainWhileItIsOfInterest) {
  AskedCurve asked;
  asked.AskAgain();
  EXPECT_FALSE(asked.Take().has_value());
  asked.Ask(kAskedRange);
  asked.Take();
  asked.AskAgain();
  EXPECT_TRUE(asked.Take().has_value());
  asked.Ask(std::nullopt);
  asked.AskAgain();
  EXPECT_FALSE(asked.Take().has_value());
}

}  // namespace
}  // namespace stowage::agent
