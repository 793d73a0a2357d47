#include "client_sdk/runtime/blocks/use_distance.h"

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

constexpr int64_t kStepKernels = 1000;

TEST(UseDistanceTest, ABlockThatStepsVisitOnceComesBackAStepLater) {
  Block state;
  for (int64_t kernel : {100, 1105, 2095}) NoteUse(state, kernel);
  EXPECT_NEAR(UseDistance(state, 2095), kStepKernels, 20);
  EXPECT_NEAR(UseDistance(state, 2595), 500, 20);
  EXPECT_GE(UseDistance(state, 3095), 1);
}

TEST(UseDistanceTest, UsesThatFollowOneAnotherAreOneVisit) {
  Block state;
  for (int64_t kernel : {100, 103, 110, 1100, 1103, 1110, 2100, 2103, 2110}) {
    NoteUse(state, kernel);
  }
  EXPECT_NEAR(UseDistance(state, 2110), kStepKernels, 20);
}

TEST(UseDistanceTest, WhatHasNoRhythmIsAsFarAsItsLastUse) {
  Block activation, weight;
  NoteUse(activation, 100);
  for (int64_t kernel : {100, 700, 1000, 1100, 1700, 2000}) {
    NoteUse(weight, kernel);
  }
  EXPECT_EQ(UseDistance(activation, 149), 50);
  EXPECT_EQ(UseDistance(weight, 2049), 50);
}

TEST(UseDistanceTest, ABlockThatDidNotComeBackHasNoRhythmAnyMore) {
  Block state;
  for (int64_t kernel : {100, 1100, 2100}) NoteUse(state, kernel);
  EXPECT_EQ(UseDistance(state, 4100), 2 * kStepKernels + 1);
}

}  // namespace
}  // namespace stowage::runtime
