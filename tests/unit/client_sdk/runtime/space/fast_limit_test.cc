#include "client_sdk/runtime/space/fast_limit.h"

#include <memory>
#include <stdexcept>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kAvailableBytes = 100 * kMiB;
constexpr AvailableMemory kAvailable{.bytes = kAvailableBytes};

class FastLimitTest : public testing::Test {
 protected:
  FastLimit Absolute(int64_t bytes) {
    return FastLimit({.limit_bytes = bytes}, kAvailable, report_.get());
  }
  FastLimit Share(double fraction) {
    return FastLimit({.limit_fraction = fraction}, kAvailable, report_.get());
  }
  // Returns what is said when the limit is refused; empty if it is not.
  static std::string Refusal(FastLimit* limit, int64_t least_bytes) {
    try {
      limit->Check(least_bytes);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  }

  std::unique_ptr<session::Report> report_ =
      std::make_unique<session::Report>();
};

TEST_F(FastLimitTest, AShareThatIsTooSmallForAnyJobIsRaised) {
  FastLimit limit = Share(0.4);
  limit.EndStep(/*step=*/0, 2 * kMiB);
  limit.EndStep(/*step=*/1, 2 * kMiB);
  EXPECT_FALSE(limit.RaiseShare(kMiB / 2));
  EXPECT_FALSE(limit.RaiseShare(FastLimit::kLeastShareBytes + 1));
  EXPECT_TRUE(limit.RaiseShare(FastLimit::kLeastShareBytes - 1));
  EXPECT_EQ(limit.bytes(), FastLimit::kLeastShareBytes);
  EXPECT_EQ(Refusal(&limit, FastLimit::kLeastShareBytes - 1), "");
  EXPECT_FALSE(limit.EndStep(/*step=*/2, 3 * kMiB));
  EXPECT_TRUE(limit.EndStep(/*step=*/3, 20 * kMiB));
  EXPECT_EQ(limit.bytes(), 8 * kMiB);
}

TEST_F(FastLimitTest, AnAbsoluteLimitIsNotRaised) {
  FastLimit limit = Absolute(kMiB);
  EXPECT_FALSE(limit.RaiseShare(FastLimit::kLeastShareBytes));
  EXPECT_NE(Refusal(&limit, FastLimit::kLeastShareBytes), "");
}

TEST_F(FastLimitTest, WithoutOneWhatTheHostHasStandsIn) {
  const FastLimit limit = Absolute(0);
  EXPECT_TRUE(limit.unlimited());
  EXPECT_FALSE(limit.is_share());
  EXPECT_FALSE(limit.is_absolute());
  EXPECT_EQ(limit.bytes(), 0);
  EXPECT_EQ(limit.effective_bytes(), kAvailableBytes);
}

TEST_F(FastLimitTest, AnAbsoluteLimitFollowsNothing) {
  FastLimit limit = Absolute(8 * kMiB);
  EXPECT_TRUE(limit.is_absolute());
  EXPECT_FALSE(limit.FollowPeak(/*step=*/0, 100 * kMiB, 100 * kMiB));
  EXPECT_FALSE(limit.EndStep(/*step=*/0, 100 * kMiB));
  EXPECT_EQ(limit.bytes(), 8 * kMiB);
  EXPECT_EQ(limit.effective_bytes(), 8 * kMiB);
  EXPECT_EQ(report_->limit_bytes, 8 * kMiB);
  EXPECT_EQ(report_->tensor_peak_bytes, 100 * kMiB);
}

TEST_F(FastLimitTest, AShareGrowsWithThePeakInEveryStep) {
  FastLimit limit = Share(0.5);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/0, 8 * kMiB, 0));
  EXPECT_EQ(limit.bytes(), 4 * kMiB);
  EXPECT_FALSE(limit.FollowPeak(/*step=*/0, 6 * kMiB, 0));
  EXPECT_EQ(limit.bytes(), 4 * kMiB);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/1, 10 * kMiB, 0));
  EXPECT_EQ(limit.bytes(), 5 * kMiB);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/2, 100 * kMiB, 0));
  EXPECT_EQ(limit.bytes(), 50 * kMiB);
}

TEST_F(FastLimitTest, InTheFirstStepAloneAShareIsWhatAKernelNeeds) {
  FastLimit limit = Share(0.5);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/0, 4 * kMiB, 3 * kMiB));
  EXPECT_EQ(limit.bytes(), 3 * kMiB);
  limit.EndStep(/*step=*/0, 4 * kMiB);
  EXPECT_EQ(limit.bytes(), 2 * kMiB);
  EXPECT_FALSE(limit.FollowPeak(/*step=*/1, 4 * kMiB, 3 * kMiB));
}

TEST_F(FastLimitTest, InTheFirstStepAKernelGetsSoMuchAtMost) {
  FastLimit limit = Share(0.5);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/0, 4 * kMiB, 60 * kMiB));
  EXPECT_EQ(limit.bytes(), FastLimit::kFirstStepBytes);
}

TEST_F(FastLimitTest, InTheFirstStepALargeModelsKernelGetsTwiceTheShareAtMost) {
  FastLimit limit = Share(0.4);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/0, 100 * kMiB, 60 * kMiB));
  EXPECT_EQ(limit.bytes(), 60 * kMiB);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/0, 100 * kMiB, 200 * kMiB));
  EXPECT_EQ(limit.bytes(), 80 * kMiB);
  FastLimit large = Share(0.8);
  EXPECT_TRUE(large.FollowPeak(/*step=*/0, 100 * kMiB, 200 * kMiB));
  EXPECT_EQ(large.bytes(), 100 * kMiB);
}

TEST_F(FastLimitTest, AShareIsThatOfTheHighestPeakSoFar) {
  FastLimit limit = Share(0.5);
  EXPECT_TRUE(limit.EndStep(/*step=*/0, 8 * kMiB));
  EXPECT_FALSE(limit.EndStep(/*step=*/1, 6 * kMiB));
  EXPECT_EQ(limit.bytes(), 4 * kMiB);
  EXPECT_TRUE(limit.EndStep(/*step=*/2, 20 * kMiB));
  EXPECT_EQ(limit.bytes(), 10 * kMiB);
  EXPECT_EQ(report_->tensor_peak_bytes, 20 * kMiB);
  EXPECT_EQ(report_->limit_bytes, 0);
  limit.Publish();
  EXPECT_EQ(report_->limit_bytes, 10 * kMiB);
}

TEST_F(FastLimitTest, AShareIsCheckedOnceAStepHasShownNoHigherPeak) {
  FastLimit limit = Share(0.5);
  limit.EndStep(/*step=*/0, 8 * kMiB);
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/1, /*has_trained=*/true));
  limit.EndStep(/*step=*/1, 9 * kMiB);
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/2, /*has_trained=*/true));
  limit.EndStep(/*step=*/2, 9 * kMiB);
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/3, /*has_trained=*/false));
  ASSERT_TRUE(limit.IsCheckDue(/*steps=*/3, /*has_trained=*/true));
  EXPECT_EQ(Refusal(&limit, kMiB), "");
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/4, /*has_trained=*/true));
}

TEST_F(FastLimitTest, AShareMayComeToTwiceItselfInTheFirstStepAlone) {
  FastLimit limit = Share(0.25);
  EXPECT_EQ(limit.MostBytesWith(/*step=*/0, 64 * kMiB), 32 * kMiB);
  EXPECT_EQ(limit.MostBytesWith(/*step=*/0, kMiB), FastLimit::kFirstStepBytes);
  EXPECT_EQ(limit.MostBytesWith(/*step=*/1, 64 * kMiB), 16 * kMiB);
  EXPECT_EQ(Absolute(2 * kMiB).MostBytesWith(/*step=*/0, 64 * kMiB), 2 * kMiB);
}

TEST_F(FastLimitTest, AFewScalarsMoreAreNoHigherPeak) {
  FastLimit limit = Share(0.5);
  limit.EndStep(/*step=*/0, 8 * kMiB);
  limit.EndStep(/*step=*/1, 8 * kMiB + 64);
  EXPECT_TRUE(limit.IsKnown(/*steps=*/2));
  EXPECT_EQ(report_->tensor_peak_bytes, 8 * kMiB + 64);
  limit.EndStep(/*step=*/2, 8 * kMiB + 64 * 1024);
  EXPECT_FALSE(limit.IsKnown(/*steps=*/3));
}

TEST_F(FastLimitTest, ALimitInBytesIsCheckedAfterTheFirstTwoSteps) {
  FastLimit limit = Absolute(2 * kMiB);
  EXPECT_TRUE(limit.IsCheckDue(/*steps=*/1, /*has_trained=*/true));
  EXPECT_TRUE(limit.IsCheckDue(/*steps=*/2, /*has_trained=*/true));
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/3, /*has_trained=*/true));
  EXPECT_NE(Refusal(&limit, 3 * kMiB), "");
  EXPECT_TRUE(limit.IsCheckDue(/*steps=*/4, /*has_trained=*/true));
}

TEST_F(FastLimitTest, ARefusalNamesTheLimitAndTheLeastThatWorks) {
  FastLimit limit = Absolute(kMiB);
  EXPECT_THAT(Refusal(&limit, 3 * kMiB),
              AllOf(HasSubstr("1048576 bytes is too small"),
                    HasSubstr("3MiB (3145728 bytes)"), Not(HasSubstr("%"))));
  EXPECT_EQ(report_->least_limit_bytes, 3 * kMiB);
}

TEST_F(FastLimitTest, ALimitBetweenTheLeastAndWhatUsersAreToldIsTaken) {
  FastLimit limit = Absolute(2 * kMiB + 100);
  EXPECT_EQ(Refusal(&limit, 2 * kMiB + 100), "");
  EXPECT_THAT(Refusal(&limit, 2 * kMiB + 101), HasSubstr("3MiB"));
}

TEST_F(FastLimitTest, ARefusedShareIsToldInPercentToo) {
  FastLimit limit = Share(0.25);
  limit.EndStep(/*step=*/1, 8 * kMiB);
  EXPECT_THAT(Refusal(&limit, 3 * kMiB),
              AllOf(HasSubstr("25% of the tensor peak of 8388608 bytes"),
                    HasSubstr("3MiB (3145728 bytes) or 38%")));
  // No share would do.
  EXPECT_THAT(Refusal(&limit, 9 * kMiB), Not(HasSubstr(" or ")));
}

TEST_F(FastLimitTest, ItIsRefusedForAsLongAsItIsTooSmall) {
  FastLimit limit = Absolute(2 * kMiB);
  EXPECT_EQ(Refusal(&limit, 2 * kMiB), "");
  EXPECT_FALSE(limit.refused());
  EXPECT_NE(Refusal(&limit, 3 * kMiB), "");
  EXPECT_NE(Refusal(&limit, 3 * kMiB), "");
  EXPECT_TRUE(limit.refused());
  EXPECT_NE(Refusal(&limit, 4 * kMiB), "");
  EXPECT_EQ(Refusal(&limit, 2 * kMiB), "");
  EXPECT_FALSE(limit.refused());
  // An event for each new least limit.
  EXPECT_EQ(report_->process_events.written, 2u);
}

TEST_F(FastLimitTest, ALimitThatTheAgentFindsIsNoneUntilItIsKnown) {
  FastLimit limit({.is_awaited = 1}, kAvailable, report_.get());
  EXPECT_TRUE(limit.unlimited());
  EXPECT_TRUE(limit.is_awaited());
  EXPECT_FALSE(limit.FollowPeak(/*step=*/0, 20 * kMiB, kMiB));
  limit.Obey({.limit_bytes = 6 * kMiB});
  EXPECT_FALSE(limit.is_awaited());
  EXPECT_EQ(limit.bytes(), 6 * kMiB);
  EXPECT_FALSE(limit.IsCheckDue(/*steps=*/2, /*has_trained=*/true));
}

TEST_F(FastLimitTest, AnotherShareIsThatOfThePeakSoFar) {
  FastLimit limit = Share(0.5);
  limit.EndStep(/*step=*/0, 40 * kMiB);
  EXPECT_EQ(limit.bytes(), 20 * kMiB);
  limit.Obey({.limit_fraction = 0.25});
  EXPECT_EQ(limit.bytes(), 10 * kMiB);
  EXPECT_TRUE(limit.FollowPeak(/*step=*/1, 80 * kMiB, 0));
  EXPECT_EQ(limit.bytes(), 20 * kMiB);
  limit.Obey({.limit_bytes = 8 * kMiB});
  EXPECT_FALSE(limit.is_share());
  EXPECT_EQ(limit.bytes(), 8 * kMiB);
}

TEST_F(FastLimitTest, NoLimitIsAboveWhatTheHostHas) {
  const session::LimitOrder orders[] = {
      {.limit_bytes = 20 * kMiB, .most_bytes = 6 * kMiB},
      {.limit_fraction = 0.5, .most_bytes = 6 * kMiB},
      {.is_awaited = 1, .most_bytes = 6 * kMiB},
      {.most_bytes = 6 * kMiB}};
  for (const session::LimitOrder& order : orders) {
    FastLimit limit(order, kAvailable, report_.get());
    limit.EndStep(/*step=*/0, 40 * kMiB);
    EXPECT_EQ(limit.bytes(), 6 * kMiB);
  }
  FastLimit limit = Share(0.5);
  limit.Obey({.limit_fraction = 0.5, .most_bytes = 6 * kMiB});
  limit.EndStep(/*step=*/0, 4 * kMiB);
  EXPECT_EQ(limit.bytes(), 2 * kMiB);
}

TEST_F(FastLimitTest, NoLimitIsAboveWhatTheCgroupLeaves) {
  const AvailableMemory little{.bytes = kAvailableBytes,
                               .cgroup_bytes = 6 * kMiB};
  FastLimit absolute({.limit_bytes = 20 * kMiB}, little, report_.get());
  EXPECT_EQ(absolute.bytes(), 6 * kMiB);
  EXPECT_EQ(report_->limit_bytes, 6 * kMiB);
  ASSERT_EQ(report_->process_events.written, 1u);
  EXPECT_STREQ(report_->process_events.entries[0].reason, "limit-above-cgroup");
  FastLimit share({.limit_fraction = 0.5}, little, report_.get());
  share.EndStep(/*step=*/0, 40 * kMiB);
  EXPECT_EQ(share.bytes(), 6 * kMiB);
  EXPECT_TRUE(FastLimit({}, little, report_.get()).unlimited());
}

TEST_F(FastLimitTest, AnUnlimitedJobIsNeverRefused) {
  FastLimit limit = Absolute(0);
  EXPECT_EQ(Refusal(&limit, 1000 * kMiB), "");
}

}  // namespace
}  // namespace stowage::runtime
