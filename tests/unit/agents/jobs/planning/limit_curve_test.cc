#include "agents/jobs/planning/limit_curve.h"

#include <functional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/fake_plans.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;

constexpr CurveRange kPlannedRange{.least_bytes = 20 * kMiB,
                                   .most_bytes = 60 * kMiB};

TEST(LimitCurveTest, HasTheStepTimesOfPlansUnderLimitsEquallyFarApart) {
  FakePlans plans{.enough_bytes = 45 * kMiB};
  const auto curve = PlanCurve(kPlannedRange, std::ref(plans));
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_THAT(plans.limits, ElementsAre(20 * kMiB, 30 * kMiB, 40 * kMiB,
                                        50 * kMiB, 60 * kMiB));
  EXPECT_THAT(*curve, ElementsAre(Field(&CurvePoint::step_ns, 2'000'000'000),
                                  Field(&CurvePoint::step_ns, 2'000'000'000),
                                  Field(&CurvePoint::step_ns, 2'000'000'000),
                                  Field(&CurvePoint::step_ns, 1'000'000'000),
                                  Field(&CurvePoint::step_ns, 1'000'000'000)));
}

TEST(LimitCurveTest, BeginsWhereThereIsAPlan) {
  FakePlans plans{.least_bytes = 40 * kMiB};
  const auto curve = PlanCurve(kPlannedRange, std::ref(plans));
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_THAT(plans.limits, ElementsAre(20 * kMiB, 40 * kMiB, 45 * kMiB,
                                        50 * kMiB, 55 * kMiB, 60 * kMiB));
  EXPECT_EQ(curve->size(), 5u);
}

TEST(LimitCurveTest, IsEmptyWhereThereIsNoPlan) {
  FakePlans plans{.least_bytes = 80 * kMiB};
  const auto curve = PlanCurve(kPlannedRange, std::ref(plans));
  ASSERT_TRUE(curve.ok()) << curve.status();
  EXPECT_TRUE(curve->empty());
}

TEST(LimitCurveTest, AnErrorOfTheServiceEndsIt) {
  const auto plan = [](int64_t) -> absl::StatusOr<v1::MakePlanResponse> {
    return absl::UnavailableError("gone");
  };
  EXPECT_TRUE(absl::IsUnavailable(PlanCurve(kPlannedRange, plan).status()));
}

}  // namespace
}  // namespace stowage::agent
