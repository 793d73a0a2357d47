#include "policies/heat/weight_adjustment.h"

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using ::testing::DoubleNear;

TEST(HeatTest, MinMaxScalesEachCharacteristicOverTheLivingTensors) {
  std::vector<Characteristics> living = {
      {.frequency = 1, .distance = 10, .size = 100, .lifetime = 5},
      {.frequency = 3, .distance = 20, .size = 100, .lifetime = 10},
      {.frequency = 2, .distance = 10, .size = 100, .lifetime = 6}};
  NormaliseMinMax(living);
  EXPECT_EQ(living[0].frequency, 0);
  EXPECT_EQ(living[1].frequency, 1);
  EXPECT_EQ(living[2].frequency, 0.5);
  EXPECT_EQ(living[1].distance, 1);
  EXPECT_EQ(living[1].size, 0);  // equal for all
  EXPECT_THAT(living[2].lifetime, DoubleNear(0.2, 1e-12));
}

TEST(HeatTest, FrequencyAndLifetimeHeatDistanceAndSizeCool) {
  const HeatWeights weights{
      .frequency = 2, .distance = 3, .size = 5, .lifetime = 7};
  EXPECT_EQ(Heat({1, 0, 0, 0}, weights), 2);
  EXPECT_EQ(Heat({0, 1, 0, 0}, weights), -3);
  EXPECT_EQ(Heat({0, 0, 1, 0}, weights), -5);
  EXPECT_EQ(Heat({0, 0, 0, 1}, weights), 7);
}

// Returns the characteristics of ten tensors of 10 bytes, of which more and
// more are far from their next use.
std::vector<Characteristics> Spread() {
  std::vector<Characteristics> living;
  living.reserve(10);
  for (int i = 0; i < 10; ++i) {
    living.push_back({.frequency = 0.5,
                      .distance = i / 9.0,
                      .size = i / 9.0,
                      .lifetime = 0.1});
  }
  return living;
}
const std::vector<int64_t> kTenEach(10, 10);

TEST(WeightAdjustmentTest, KeepsWeightsThatHeatAsMuchAsFits) {
  // With weights of 1 tensors 0, 1 and 2 are hot.
  const auto result = AdjustWeights(Spread(), kTenEach, 30, HeatWeights());
  EXPECT_EQ(result.adjustments, 0);
  EXPECT_EQ(result.hot_bytes, 30);
  EXPECT_EQ(result.weights, HeatWeights());
}

TEST(WeightAdjustmentTest, UnderHighPressureTheWeightOfSizeFollows) {
  // 100 bytes live, 2.5 times 20.
  const auto result = AdjustWeights(Spread(), kTenEach, 20, HeatWeights());
  EXPECT_EQ(result.hot_bytes, 20);
  EXPECT_EQ(result.weights.distance, 1);
  EXPECT_THAT(result.weights.size,
              DoubleNear(std::pow(1.02, result.adjustments), 1e-9));
  EXPECT_GT(result.adjustments, 0);
}

TEST(WeightAdjustmentTest, UnderLowPressureTheWeightOfDistanceFollows) {
  // 100 bytes live, less than 2.5 times 60; with weights of 1 too little is
  // hot.
  const auto result = AdjustWeights(Spread(), kTenEach, 60, HeatWeights());
  EXPECT_EQ(result.hot_bytes, 60);
  EXPECT_EQ(result.weights.size, 1);
  EXPECT_THAT(result.weights.distance,
              DoubleNear(std::pow(0.98, result.adjustments), 1e-9));
  EXPECT_GT(result.adjustments, 0);
}

TEST(WeightAdjustmentTest, GoesOnFromTheWeightsOfTheKernelBefore) {
  const auto first = AdjustWeights(Spread(), kTenEach, 20, HeatWeights());
  const auto second = AdjustWeights(Spread(), kTenEach, 20, first.weights);
  EXPECT_EQ(second.adjustments, 0);
}

TEST(WeightAdjustmentTest, EndsWhereTheBandIsLeaptOver) {
  // One tensor of all bytes: hot it is too much, cold too little.
  const std::vector<Characteristics> living = {
      {.frequency = 0.5, .distance = 1, .size = 1}, {.frequency = 1}};
  const auto result = AdjustWeights(
      living, {100, 1}, 30,
      {.frequency = 1, .distance = 0.1, .size = 0.1, .lifetime = 1});
  EXPECT_EQ(result.hot_bytes, 1);
  EXPECT_LE(result.adjustments, kMaxAdjustments);
}

TEST(WeightAdjustmentTest, EndsAfterTheStatedNumberOfSteps) {
  // Hot however much its size weighs: it has none.
  const std::vector<Characteristics> living(3, {.frequency = 1});
  const auto result = AdjustWeights(
      living, {100, 100, 100}, 10,
      {.frequency = 1, .distance = 1, .size = kLowestWeight, .lifetime = 1});
  EXPECT_EQ(result.weights.size, kHighestWeight);
  EXPECT_LE(result.adjustments, kMaxAdjustments);
  EXPECT_GT(result.adjustments, kMaxAdjustments - 3);
}

TEST(WeightAdjustmentTest, LeavesTheWeightsWhereEverythingFits) {
  const auto result = AdjustWeights(Spread(), kTenEach, 1000, HeatWeights());
  EXPECT_EQ(result.adjustments, 0);
}

}  // namespace
}  // namespace stowage::policies
