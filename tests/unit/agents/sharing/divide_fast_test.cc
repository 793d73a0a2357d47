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

TEST(DivideFastTest, NobodyGetsNothing) {
  EXPECT_THAT(DivideFast(100 * kMiB, {}), ElementsAre());
}

}  // namespace
}  // namespace stowage::agent
