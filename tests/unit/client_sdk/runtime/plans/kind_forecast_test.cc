#include "client_sdk/runtime/plans/kind_forecast.h"

#include <initializer_list>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

using Kinds = std::initializer_list<uint64_t>;

void Note(KindForecast* forecast, Kinds kinds, int times = 1) {
  for (int i = 0; i < times; ++i) {
    for (const uint64_t kind : kinds) forecast->Note(kind);
  }
}

// Returns how many of these steps are not of the kind that is expected.
int Surprises(KindForecast* forecast, Kinds kinds, int times) {
  int surprises = 0;
  for (int i = 0; i < times; ++i) {
    for (const uint64_t kind : kinds) {
      forecast->Note(kind);
      surprises += forecast->was_right() ? 0 : 1;
    }
  }
  return surprises;
}

TEST(KindForecastTest, ExpectsNothingBeforeSomethingHasFollowed) {
  KindForecast forecast;
  EXPECT_EQ(forecast.Next(), std::nullopt);
  forecast.Note(1);
  EXPECT_EQ(forecast.Next(), std::nullopt);
  forecast.Note(1);
  EXPECT_EQ(forecast.Next(), 1u);
}

TEST(KindForecastTest, ForeseesTurnsOfSeveralSteps) {
  KindForecast forecast;
  Note(&forecast, {1, 1, 2}, /*times=*/2);
  EXPECT_EQ(Surprises(&forecast, {1, 1, 2}, /*times=*/20), 0);
}

TEST(KindForecastTest, ForeseesLongRunsThatEnd) {
  KindForecast forecast;
  const Kinds epoch = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 3, 3};
  Note(&forecast, epoch, /*times=*/2);
  EXPECT_EQ(Surprises(&forecast, epoch, /*times=*/40), 0);
}

TEST(KindForecastTest, LearnsOtherTurnsWithinTwoOfThem) {
  KindForecast forecast;
  Note(&forecast, {1, 1, 2}, /*times=*/10);
  Note(&forecast, {1, 2, 2, 3}, /*times=*/2);
  EXPECT_EQ(Surprises(&forecast, {1, 2, 2, 3}, /*times=*/20), 0);
}

TEST(KindForecastTest, WhatCameOnceIsNotExpectedAgain) {
  KindForecast forecast;
  Note(&forecast, {1}, /*times=*/10);
  Note(&forecast, {2});
  EXPECT_LE(Surprises(&forecast, {1}, /*times=*/100), 1);
}

TEST(KindForecastTest, ForgetsWhatIsLongPast) {
  KindForecast forecast;
  Note(&forecast, {1, 2});
  Note(&forecast, {3}, KindForecast::kRememberedSteps);
  forecast.Note(1);
  EXPECT_EQ(forecast.Next(), std::nullopt);
}

}  // namespace
}  // namespace stowage::runtime
