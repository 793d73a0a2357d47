#include "agents/sharing/divide_fast.h"

#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/agents/sizes.h"

namespace stowage::agent {
namespace {

using ::testing::ElementsAre;

TEST(DivideFastTest, AllGetWhatTheyWantIfThereIsEnough) {
  EXPECT_THAT(DivideFast(100 * kMiB, {{.want_bytes = 60 * kMiB},
                                      {.want_bytes = 40 * kMiB}}),
              ElementsAre(60 * kMiB, 40 * kMiB));
}

TEST(DivideFastTest, EqualClaimsGetEqualParts) {
  const FastClaim claim{.floor_bytes = 30 * kMiB, .want_bytes = 60 * kMiB};
  EXPECT_THAT(DivideFast(100 * kMiB, {claim, claim}),
              ElementsAre(50 * kMiB, 50 * kMiB));
}

TEST(DivideFastTest, NobodyGetsLessThanItsFloorIfItWantsThat) {
  EXPECT_THAT(
      DivideFast(100 * kMiB,
                 {{.floor_bytes = 80 * kMiB, .want_bytes = 90 * kMiB},
                  {.floor_bytes = 10 * kMiB, .want_bytes = 1000 * kMiB}}),
      ElementsAre(::testing::Ge(80 * kMiB), ::testing::Ge(10 * kMiB)));
}

TEST(DivideFastTest, WhatOneDoesNotUseIsLent) {
  EXPECT_THAT(DivideFast(100 * kMiB,
                         {{.floor_bytes = 50 * kMiB, .want_bytes = 20 * kMiB},
                          {.floor_bytes = 50 * kMiB, .want_bytes = 90 * kMiB}}),
              ElementsAre(20 * kMiB, 80 * kMiB));
}

TEST(DivideFastTest, PartsAreWholePagesAndNoMoreThanTheTotal) {
  for (int64_t total = 1; total < 100 * kMiB; total = 3 * total + 4097) {
    for (const int64_t floor : {int64_t{0}, 7 * kMiB, 40 * kMiB}) {
      const std::vector<int64_t> parts = DivideFast(
          total, {{.floor_bytes = floor, .want_bytes = 61 * kMiB},
                  {.floor_bytes = 2 * floor, .want_bytes = 83 * kMiB},
                  {.floor_bytes = floor / 3, .want_bytes = 50 * kMiB}});
      EXPECT_LE(std::accumulate(parts.begin(), parts.end(), int64_t{0}), total);
    }
  }
}

// A step of `slow_ns` with 30 MiB, that is `gain_ns` shorter with 60 MiB.
FastClaim Gaining(int64_t slow_ns, int64_t gain_ns) {
  return {.floor_bytes = 30 * kMiB,
          .want_bytes = 60 * kMiB,
          .curve = {{30 * kMiB, slow_ns}, {60 * kMiB, slow_ns - gain_ns}}};
}

TEST(DivideFastTest, MemoryGoesWhereItShortensStepsMost) {
  EXPECT_THAT(
      DivideFast(100 * kMiB, {Gaining(2'000, 100), Gaining(1'000, 300)}),
      ElementsAre(40 * kMiB, 60 * kMiB));
}

TEST(DivideFastTest, EachGetsTheMemoryThatIsDearToIt) {
  // Both gain much by the first 10 MiB beyond their floors.
  const FastClaim claim{
      .floor_bytes = 30 * kMiB,
      .want_bytes = 60 * kMiB,
      .curve = {{30 * kMiB, 900}, {40 * kMiB, 300}, {60 * kMiB, 250}}};
  FastClaim flatter = claim;
  flatter.curve.back().step_ns = 299;
  EXPECT_THAT(DivideFast(100 * kMiB, {claim, flatter}),
              ElementsAre(60 * kMiB, 40 * kMiB));
}

// Curves of the same job, twice on one machine.
const StepCurve kCurve = {{30 * kMiB, 790'000'000},
                          {30 * kMiB + 15 * kMiB / 2, 731'000'000},
                          {45 * kMiB, 688'000'000},
                          {60 * kMiB - 15 * kMiB / 2, 661'000'000},
                          {60 * kMiB, 651'000'000}};
const StepCurve kSameCurve = {{30 * kMiB, 994'000'000},
                              {30 * kMiB + 15 * kMiB / 2, 932'000'000},
                              {45 * kMiB, 864'000'000},
                              {60 * kMiB - 15 * kMiB / 2, 861'000'000},
                              {60 * kMiB, 846'000'000}};

TEST(DivideFastTest, EqualJobsGetEqualPartsThoughTheirStepsVary) {
  EXPECT_THAT(
      DivideFast(
          100 * kMiB,
          {{.floor_bytes = 30 * kMiB, .want_bytes = 60 * kMiB, .curve = kCurve},
           {.floor_bytes = 30 * kMiB,
            .want_bytes = 60 * kMiB,
            .curve = kSameCurve}}),
      ElementsAre(50 * kMiB, 50 * kMiB));
}

TEST(DivideFastTest, WhatShortensNoStepIsSharedInProportion) {
  EXPECT_THAT(DivideFast(100 * kMiB, {Gaining(1'000, 0), Gaining(1'000, -5)}),
              ElementsAre(50 * kMiB, 50 * kMiB));
}

TEST(DivideFastTest, OneUnknownCurveMakesAllPartsProportional) {
  EXPECT_THAT(DivideFast(100 * kMiB,
                         {Gaining(1'000, 500),
                          {.floor_bytes = 30 * kMiB, .want_bytes = 60 * kMiB}}),
              ElementsAre(50 * kMiB, 50 * kMiB));
}

TEST(DivideFastTest, WithCurvesPartsAreNoMoreThanTheTotalEither) {
  for (int64_t total = 1; total < 130 * kMiB; total = 3 * total + 4097) {
    const std::vector<int64_t> parts = DivideFast(
        total,
        {Gaining(1'000, 7), Gaining(1'000'000, 70'000), Gaining(1'000, 900)});
    EXPECT_LE(std::accumulate(parts.begin(), parts.end(), int64_t{0}), total);
    for (const int64_t part : parts) EXPECT_EQ(part % 4096, 0);
  }
}

TEST(DivideFastTest, NobodyGetsNothing) {
  EXPECT_THAT(DivideFast(100 * kMiB, {}), ElementsAre());
}

}  // namespace
}  // namespace stowage::agent
