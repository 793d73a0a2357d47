#include "agents/jobs/limit_search.h"

#include <functional>
#include <vector>

#include "absl/strings/cord.h"
#include "google/protobuf/any.pb.h"
#include "gtest/gtest.h"
#include "stowage/v1/status.pb.h"

namespace stowage::agent {
namespace {

constexpr int64_t kSearchMiB = 1 << 20;

// Plans whose steps take a second and, below `enough_bytes`, two.
struct FakePlans {
  absl::StatusOr<v1::MakePlanResponse> operator()(int64_t limit_bytes) {
    limits.push_back(limit_bytes);
    if (limit_bytes < least_bytes) {
      v1::LimitTooSmall detail;
      detail.set_least_limit_bytes(least_bytes);
      google::protobuf::Any any;
      any.PackFrom(detail);
      absl::Status status = absl::FailedPreconditionError("too small");
      status.SetPayload(any.type_url(), absl::Cord(any.value()));
      return status;
    }
    v1::MakePlanResponse made;
    made.mutable_plan()->mutable_prediction()->set_step_time_ns(
        limit_bytes < enough_bytes ? 2'000'000'000 : 1'000'000'000);
    if (limit_bytes < streams_below_bytes) made.mutable_plan()->add_streams();
    return made;
  }

  int64_t enough_bytes = 0;
  int64_t least_bytes = 0;
  int64_t streams_below_bytes = 0;
  std::vector<int64_t> limits;
};

TEST(LimitSearchTest, FindsTheLeastLimitThatKeepsTheBound) {
  for (const int64_t enough_mib : {5, 137, 400, 999}) {
    FakePlans plans{.enough_bytes = enough_mib * kSearchMiB};
    const auto found =
        FindLimit(1000 * kSearchMiB, 1'050'000'000, std::ref(plans));
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_GE(*found, plans.enough_bytes);
    EXPECT_LE(*found, plans.enough_bytes + 10 * kSearchMiB);
    EXPECT_LE(plans.limits.size(), 8u);
  }
}

TEST(LimitSearchTest, LeavesOutLimitsThatAreKnownToBeTooSmall) {
  FakePlans plans{.least_bytes = 700 * kSearchMiB};
  const auto found =
      FindLimit(1000 * kSearchMiB, 1'050'000'000, std::ref(plans));
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_GE(*found, plans.least_bytes);
  EXPECT_LE(*found, plans.least_bytes + 10 * kSearchMiB);
  EXPECT_EQ(plans.limits.at(1), 500 * kSearchMiB);
  EXPECT_GE(plans.limits.at(2), plans.least_bytes);
}

TEST(LimitSearchTest, GivesAllWhereNoPlanKeepsTheBound) {
  FakePlans plans{.enough_bytes = 2000 * kSearchMiB};
  const auto found =
      FindLimit(1000 * kSearchMiB, 1'050'000'000, std::ref(plans));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, 1000 * kSearchMiB);
  EXPECT_EQ(plans.limits.size(), 1u);
}

TEST(LimitSearchTest, APlanThatStreamsKeepsNoBound) {
  FakePlans plans{.streams_below_bytes = 300 * kSearchMiB};
  const auto found =
      FindLimit(1000 * kSearchMiB, 1'050'000'000, std::ref(plans));
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
