#include "agents/jobs/planning/limit_search.h"

#include <functional>

#include "gtest/gtest.h"
#include "tests/unit/agents/jobs/fake_plans.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

TEST(LimitSearchTest, FindsTheLeastLimitThatKeepsTheBound) {
  for (const int64_t enough_mib : {5, 137, 400, 999}) {
    FakePlans plans{.enough_bytes = enough_mib * kMiB};
    const auto found = FindLimit(1000 * kMiB, 1'050'000'000, std::ref(plans));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_GE(*found, plans.enough_bytes);
    EXPECT_LE(*found, plans.enough_bytes + 10 * kMiB);
    EXPECT_LE(plans.limits.size(), 8u);
  }
}

TEST(LimitSearchTest, LeavesOutLimitsThatAreKnownToBeTooSmall) {
  FakePlans plans{.least_bytes = 700 * kMiB};
  const auto found = FindLimit(1000 * kMiB, 1'050'000'000, std::ref(plans));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GE(*found, plans.least_bytes);
  EXPECT_LE(*found, plans.least_bytes + 10 * kMiB);
  EXPECT_EQ(plans.limits.at(1), 500 * kMiB);
  EXPECT_GE(plans.limits.at(2), plans.least_bytes);
}

TEST(LimitSearchTest, GivesAllWhereNoPlanKeepsTheBound) {
  FakePlans plans{.enough_bytes = 2000 * kMiB};
  const auto found = FindLimit(1000 * kMiB, 1'050'000'000, std::ref(plans));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, 1000 * kMiB);
  EXPECT_EQ(plans.limits.size(), 1u);
}

TEST(LimitSearchTest, APlanThatStreamsKeepsNoBound) {
  FakePlans plans{.streams_below_bytes = 300 * kMiB};
  const auto found = FindLimit(1000 * kMiB, 1'050'000'000, std::ref(plans));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GE(*found, plans.streams_below_bytes);
}

TEST(LimitSearchTest, AnErrorOfTheServiceEndsTheSearch) {
  int asked = 0;
  const auto plan = [&](int64_t) -> absl::StatusOr<v1::MakePlanResponse> {
    if (++asked == 1) return FakePlans{}(1);
    return absl::UnavailableError("gone");
  };
  EXPECT_EQ(FindLimit(1000, 2'000'000'000, plan).status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace stowage::agent
