#include "policies/simulate/lane_clocks.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/policies/slowed_lanes.h"

namespace stowage::policies {
namespace {

constexpr size_t kOut = 0;
constexpr size_t kIn = 1;

class LaneClocksTest : public testing::Test {
 protected:
  // Uses lanes that keep these shares of their bandwidth.
  void Use(double out, double in) {
    clocks_ = LaneClocks(WithShares("file", out, in), {{0, 1}, {1, 0}});
    state_.assign(clocks_.state_size(), 0);
  }

  int64_t Issue(size_t lane, int64_t duration_ns) {
    return clocks_.Issue(lane, now_ns_, duration_ns, absl::MakeSpan(state_));
  }

  int64_t End(size_t lane, int64_t mark_ns) const {
    return clocks_.EndNs(lane, mark_ns, now_ns_, state_);
  }

  void AdvanceTo(int64_t then_ns) {
    clocks_.Advance(now_ns_, then_ns, absl::MakeSpan(state_));
    now_ns_ = then_ns;
  }

  LaneClocks clocks_{WithShares("file", 1, 1), {{0, 1}, {1, 0}}};
  std::vector<int64_t> state_ = std::vector<int64_t>(clocks_.state_size());
  int64_t now_ns_ = 0;
};

TEST_F(LaneClocksTest, CopiesOfALaneAreMadeOneAfterAnother) {
  const int64_t first = Issue(kOut, 1000);
  const int64_t second = Issue(kOut, 300);
  EXPECT_EQ(End(kOut, first), 1000);
  EXPECT_EQ(End(kOut, second), 1300);
}

TEST_F(LaneClocksTest, ALaneThatWasIdleBeginsAtOnce) {
  Issue(kOut, 100);
  AdvanceTo(500);
  EXPECT_EQ(End(kOut, Issue(kOut, 100)), 600);
}

TEST_F(LaneClocksTest, LanesThatKeepTheirBandwidthDoNotSlowOneAnother) {
  const int64_t out = Issue(kOut, 1000);
  const int64_t in = Issue(kIn, 1000);
  EXPECT_EQ(End(kOut, out), 1000);
  EXPECT_EQ(End(kIn, in), 1000);
}

TEST_F(LaneClocksTest, ALaneAloneKeepsAllOfItsBandwidth) {
  Use(0.5, 0.5);
  EXPECT_EQ(End(kIn, Issue(kIn, 1000)), 1000);
}

TEST_F(LaneClocksTest, EqualCopiesThatShareTakeTwiceAsLong) {
  Use(0.5, 0.5);
  const int64_t out = Issue(kOut, 1000);
  const int64_t in = Issue(kIn, 1000);
  EXPECT_EQ(End(kOut, out), 2000);
  EXPECT_EQ(End(kIn, in), 2000);
}

TEST_F(LaneClocksTest, WhatIsLeftOfTheLongerCopyIsMadeAtFullSpeed) {
  Use(0.5, 0.5);
  const int64_t out = Issue(kOut, 1000);
  const int64_t in = Issue(kIn, 400);
  EXPECT_EQ(End(kIn, in), 800);
  EXPECT_EQ(End(kOut, out), 800 + 600);
}

TEST_F(LaneClocksTest, ALaterCopySlowsTheOneUnderWay) {
  Use(0.5, 0.5);
  const int64_t out = Issue(kOut, 1000);
  AdvanceTo(600);
  const int64_t in = Issue(kIn, 500);
  EXPECT_EQ(End(kOut, out), 600 + 800);
  EXPECT_EQ(End(kIn, in), 600 + 800 + 100);
  AdvanceTo(1000);
  EXPECT_EQ(End(kOut, out), 1400);
  EXPECT_EQ(End(kIn, in), 1500);
}

TEST_F(LaneClocksTest, EachLaneHasAShareOfItsOwn) {
  Use(0.8, 0.25);
  const int64_t out = Issue(kOut, 800);
  const int64_t in = Issue(kIn, 1000);
  EXPECT_EQ(End(kOut, out), 1000);
  EXPECT_EQ(End(kIn, in), 1000 + 750);
}

TEST_F(LaneClocksTest, ManySmallStepsEndAsOneLargeOneDoes) {
  Use(0.5, 0.5);
  const int64_t out = Issue(kOut, 1000);
  const int64_t in = Issue(kIn, 400);
  for (int64_t then_ns = 100; then_ns <= 1300; then_ns += 100) {
    AdvanceTo(then_ns);
  }
  EXPECT_EQ(End(kIn, in), now_ns_);
  EXPECT_EQ(End(kOut, out), 1400);
}

TEST_F(LaneClocksTest, AnIdleLaneShowsTheTime) {
  Use(0.5, 0.5);
  Issue(kOut, 1000);
  Issue(kIn, 1000);
  AdvanceTo(1000);
  EXPECT_EQ(clocks_.ClockNs(kOut, now_ns_, state_), 500);
  AdvanceTo(2500);
  EXPECT_EQ(clocks_.ClockNs(kOut, now_ns_, state_), 2500);
  EXPECT_EQ(clocks_.ClockNs(kIn, now_ns_, state_), 2500);
}

TEST_F(LaneClocksTest, LanesAreFreeWhenTheirLastCopyHasEnded) {
  Use(0.5, 0.5);
  Issue(kOut, 600);
  Issue(kOut, 400);
  Issue(kIn, 400);
  std::vector<int64_t> free_ns(2);
  clocks_.FreeNs(now_ns_, state_, absl::MakeSpan(free_ns));
  EXPECT_EQ(free_ns, (std::vector<int64_t>{1400, 800}));
}

TEST_F(LaneClocksTest, ALaneWithoutAnOppositeOneIsNotSlowed) {
  const LaneClocks clocks(WithShares("file", 0.5, 0.5), {{0, 1}, {0, 0}});
  std::vector<int64_t> state(clocks.state_size());
  const int64_t mark = clocks.Issue(0, 0, 1000, absl::MakeSpan(state));
  clocks.Issue(1, 0, 1000, absl::MakeSpan(state));
  EXPECT_EQ(clocks.EndNs(0, mark, 0, state), 1000);
}

TEST_F(LaneClocksTest, TheLongestCopiesDoNotOverflow) {
  Use(0.01, 0.01);
  const int64_t out = Issue(kOut, int64_t{1} << 62);
  Issue(kIn, int64_t{1} << 62);
  EXPECT_GT(End(kOut, out), 0);
  AdvanceTo(End(kOut, out));
  EXPECT_GE(End(kOut, out), now_ns_);
}

}  // namespace
}  // namespace stowage::policies
