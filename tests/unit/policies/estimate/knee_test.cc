#include "policies/estimate/knee.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

std::vector<EstimatePoint> Curve(
    const std::vector<std::pair<int64_t, int64_t>>& points) {
  std::vector<EstimatePoint> curve;
  for (const auto& [limit_bytes, step_time_ns] : points) {
    curve.push_back({.limit_bytes = limit_bytes, .step_time_ns = step_time_ns});
  }
  return curve;
}

TEST(KneeTest, IsWhereTheCurveBendsMost) {
  EXPECT_EQ(KneeBytes(Curve(
                {{10, 1000}, {20, 300}, {30, 150}, {40, 110}, {100, 100}})),
            30);
}

TEST(KneeTest, AStraightLineHasNone) {
  EXPECT_EQ(KneeBytes(Curve({{10, 400}, {20, 300}, {30, 200}, {40, 100}})), 0);
}

TEST(KneeTest, ACurveThatBendsUpwardsHasNone) {
  EXPECT_EQ(KneeBytes(Curve({{10, 400}, {20, 390}, {30, 380}, {40, 100}})), 0);
}

TEST(KneeTest, AJobThatNeverSlowsDownHasNone) {
  EXPECT_EQ(KneeBytes(Curve({{10, 1005}, {20, 1000}, {30, 1000}})), 0);
}

TEST(KneeTest, APointThatStreamsIsNone) {
  std::vector<EstimatePoint> curve =
      Curve({{10, 1000}, {20, 300}, {30, 150}, {40, 110}, {100, 100}});
  for (int i = 0; i < 3; ++i) curve[i].streaming_kernels = 2;
  EXPECT_EQ(KneeBytes(curve), 40);
}

TEST(KneeTest, TwoPointsHaveNone) {
  EXPECT_EQ(KneeBytes(Curve({{10, 400}, {20, 100}})), 0);
  EXPECT_EQ(KneeBytes({}), 0);
}

}  // namespace
}  // namespace stowage::policies
