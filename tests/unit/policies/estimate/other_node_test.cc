#include "policies/estimate/other_node.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"

namespace stowage::policies {
namespace {

constexpr int64_t kAllFastNs = 1'000'000;

// A step of which the kernels hide half of what copies take, 500 us.
EstimatePoint HalfHidden() {
  return {.limit_bytes = 1 << 20,
          .step_time_ns = kAllFastNs + 250'000,
          .moved_in_bytes = 500'000,
          .moved_out_bytes = 100'000,
          .moves_in = 1,
          .moves_out = 1};
}

CopySpeed OneNsPerByte() { return {.in_ns_per_byte = 1, .out_ns_per_byte = 1}; }

TEST(OtherNodeTest, WhereCopiesAreAlikeTheStepIsToo) {
  EXPECT_EQ(
      StepTimeOn(HalfHidden(), kAllFastNs, OneNsPerByte(), OneNsPerByte()),
      HalfHidden().step_time_ns);
}

TEST(OtherNodeTest, SlowerCopiesAreWaitedForInFull) {
  EXPECT_EQ(StepTimeOn(HalfHidden(), kAllFastNs, OneNsPerByte(),
                       SharedBy(2, OneNsPerByte())),
            kAllFastNs + 750'000);
}

TEST(OtherNodeTest, CopiesTwiceAsFastAreHiddenWhole) {
  EXPECT_EQ(StepTimeOn(HalfHidden(), kAllFastNs, OneNsPerByte(),
                       {.in_ns_per_byte = 0.5, .out_ns_per_byte = 0.5}),
            kAllFastNs);
}

TEST(OtherNodeTest, AStepThatMovesNothingDoesNotDependOnCopies) {
  const EstimatePoint still = {.limit_bytes = 1,
                               .step_time_ns = kAllFastNs + 7};
  EXPECT_EQ(StepTimeOn(still, kAllFastNs, OneNsPerByte(),
                       SharedBy(9, OneNsPerByte())),
            kAllFastNs + 7);
}

TEST(OtherNodeTest, WaitsBeyondTheCopiesScaleAsTheyDo) {
  EstimatePoint in_place = HalfHidden();
  in_place.step_time_ns = kAllFastNs + 2'000'000;
  EXPECT_EQ(StepTimeOn(in_place, kAllFastNs, OneNsPerByte(),
                       SharedBy(2, OneNsPerByte())),
            kAllFastNs + 4'000'000);
}

TEST(OtherNodeTest, BetweenTwoPointsTheCurveIsStraight) {
  const JobEstimate estimate = {
      .points = {{.limit_bytes = 100, .step_time_ns = 900, .moves_in = 8},
                 {.limit_bytes = 200, .step_time_ns = 500, .moves_in = 0}}};
  EXPECT_EQ(PointAt(estimate, 150).step_time_ns, 700);
  EXPECT_EQ(PointAt(estimate, 150).moves_in, 4);
  EXPECT_EQ(PointAt(estimate, 100).step_time_ns, 900);
  EXPECT_EQ(PointAt(estimate, 9999).step_time_ns, 500);
}

TEST(OtherNodeTest, SpeedsFollowTheMemorySystem) {
  const MemorySystem file = *PresetMemorySystem("file");
  const CopySpeed speed = CopySpeedOf(file);
  const int64_t bytes = int64_t{256} << 20;
  EXPECT_NEAR(speed.in_setup_ns + speed.in_ns_per_byte * bytes,
              file.CopyDurationNs(1, 0, bytes),
              0.1 * file.CopyDurationNs(1, 0, bytes));
}

}  // namespace
}  // namespace stowage::policies
