#include "agents/engine/copy_times.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

constexpr int64_t kCopiedMiB = 1 << 20;

// 1 GB/s for a MiB out of the fast tier and 2 GB/s from 3 MiB on, 4 GB/s into
// it.
v1::MemorySystem TwoTiers() {
  v1::MemorySystem system;
  v1::CopyCurve& out = *system.add_copies();
  out.set_to_tier(1);
  out.set_setup_ns(1000);
  v1::CopyPoint* point = out.add_points();
  point->set_buffer_bytes(kCopiedMiB);
  point->set_bytes_per_second(1'000'000'000);
  point = out.add_points();
  point->set_buffer_bytes(3 * kCopiedMiB);
  point->set_bytes_per_second(2'000'000'000);
  v1::CopyCurve& in = *system.add_copies();
  in.set_from_tier(1);
  point = in.add_points();
  point->set_buffer_bytes(kCopiedMiB);
  point->set_bytes_per_second(4'000'000'000);
  return system;
}

int64_t OutNs(const v1::MemorySystem& system, int64_t bytes) {
  return ExpectedCopyNs(system, 0, 1, bytes);
}

class CopyTimesTest : public testing::Test {
 protected:
  // Makes copies of 1 MiB that take so many times as long as expected.
  void NoteOut(int copies, double factor) { Note(0, 1, copies, factor); }
  void NoteIn(int copies, double factor) { Note(1, 0, copies, factor); }

  void Note(int from, int to, int copies, double factor) {
    const int64_t expected_ns =
        ExpectedCopyNs(times_.system(), from, to, kCopiedMiB);
    for (int i = 0; i < copies; ++i) {
      times_.Note({.from_tier = from, .to_tier = to, .size_bytes = kCopiedMiB},
                  static_cast<int64_t>(factor * expected_ns),
                  /*beside_ns=*/0);
    }
  }

  CopyTimes times_{TwoTiers()};
};

TEST(ExpectedCopyNsTest, FollowsTheCurveAndIsConstantBeyondIt) {
  const v1::MemorySystem system = TwoTiers();
  EXPECT_EQ(OutNs(system, kCopiedMiB), 1000 + kCopiedMiB);
  EXPECT_EQ(OutNs(system, kCopiedMiB / 2), 1000 + kCopiedMiB / 2);
  EXPECT_NEAR(OutNs(system, 2 * kCopiedMiB), 1000 + 2 * kCopiedMiB / 1.5, 1);
  EXPECT_EQ(OutNs(system, 30 * kCopiedMiB), 1000 + 15 * kCopiedMiB);
  EXPECT_EQ(ExpectedCopyNs(system, 1, 0, 4 * kCopiedMiB), kCopiedMiB);
}

TEST(ExpectedCopyNsTest, NothingIsExpectedOfTiersWithoutACurve) {
  EXPECT_EQ(ExpectedCopyNs(TwoTiers(), 1, 2, kCopiedMiB), 0);
  v1::MemorySystem empty = TwoTiers();
  empty.mutable_copies(0)->clear_points();
  EXPECT_EQ(OutNs(empty, kCopiedMiB), 0);
}

TEST_F(CopyTimesTest, CopiesAreAsExpectedUntilTheyWereMeasured) {
  const CopyFactors factors = times_.TakeFactors();
  EXPECT_EQ(factors.out, 1);
  EXPECT_EQ(factors.in, 1);
}

TEST_F(CopyTimesTest, CopiesOfRanksTakeTurnsUntilTheyWereMeasured) {
  CopyTimes times(TwoTiers(), /*processes=*/2);
  CopyFactors factors = times.TakeFactors();
  EXPECT_EQ(factors.out, 2);
  EXPECT_EQ(factors.in, 2);
  const int64_t alone_ns = ExpectedCopyNs(times.system(), 0, 1, 3 * kCopiedMiB);
  for (int i = 0; i < 10; ++i) {
    times.Note({.from_tier = 0, .to_tier = 1, .size_bytes = 3 * kCopiedMiB},
               /*duration_ns=*/alone_ns, /*beside_ns=*/0);
  }
  factors = times.TakeFactors();
  EXPECT_NEAR(factors.out, 1, 1e-3);
  EXPECT_EQ(factors.in, 2);
}

TEST_F(CopyTimesTest, EachDirectionHasItsFactor) {
  NoteOut(10, 3);
  NoteIn(20, 0.5);
  const CopyFactors factors = times_.TakeFactors();
  EXPECT_NEAR(factors.out, 3, 1e-3);
  EXPECT_NEAR(factors.in, 0.5, 1e-3);
}

TEST_F(CopyTimesTest, TheScaledSystemExpectsWhatWasMeasured) {
  NoteOut(10, 3);
  NoteIn(20, 0.5);
  const v1::MemorySystem scaled =
      ScaleCopies(times_.system(), times_.TakeFactors());
  EXPECT_NEAR(OutNs(scaled, kCopiedMiB), 3 * (1000 + kCopiedMiB), 1000);
  EXPECT_NEAR(OutNs(scaled, 3 * kCopiedMiB), 3 * (1000 + 3 * kCopiedMiB / 2),
              2000);
  EXPECT_NEAR(ExpectedCopyNs(scaled, 1, 0, kCopiedMiB), kCopiedMiB / 8, 100);
}

TEST_F(CopyTimesTest, OnlyCopiesSinceTheLastCallCount) {
  NoteOut(10, 3);
  times_.TakeFactors();
  NoteOut(10, 1);
  EXPECT_NEAR(times_.TakeFactors().out, 1, 1e-3);
}

TEST_F(CopyTimesTest, AFewCopiesChangeNothingUntilThereAreMore) {
  NoteOut(10, 3);
  times_.TakeFactors();
  NoteOut(7, 1);
  EXPECT_NEAR(times_.TakeFactors().out, 3, 1e-3);
  NoteOut(1, 1);
  EXPECT_NEAR(times_.TakeFactors().out, 1, 1e-3);
}

TEST_F(CopyTimesTest, AStallOfTheMediumIsNotTakenForItsSpeed) {
  NoteOut(10, 1e6);
  EXPECT_LE(times_.TakeFactors().out, 16);
  NoteIn(20, 1e-6);
  EXPECT_GE(times_.TakeFactors().in, 1.0 / 16);
}

TEST_F(CopyTimesTest, CopiesOfNoKnownLaneAreLeftOut) {
  times_.Note({.from_tier = 7, .to_tier = 9, .size_bytes = kCopiedMiB}, 1 << 30,
              /*beside_ns=*/0);
  EXPECT_EQ(times_.TakeFactors().out, 1);
}

// A medium of which a direction keeps a quarter while both copy.
TEST(CopyTimesBothWaysTest, WhatTheOtherDirectionCostsIsNotTheMediums) {
  v1::MemorySystem system = TwoTiers();
  system.mutable_copies(1)->set_both_ways_share(0.25);
  CopyTimes times(system);
  const int64_t alone_ns = ExpectedCopyNs(system, 1, 0, kCopiedMiB);
  const MoveOrder in = {.from_tier = 1, .size_bytes = kCopiedMiB};
  // Half of it is made alone, and half beside another copy.
  for (int i = 0; i < 10; ++i) {
    times.Note(in, alone_ns / 2 + 2 * alone_ns, 2 * alone_ns);
  }
  EXPECT_NEAR(times.TakeFactors().in, 1, 1e-3);
  for (int i = 0; i < 10; ++i) times.Note(in, 8 * alone_ns, 8 * alone_ns);
  EXPECT_NEAR(times.TakeFactors().in, 2, 1e-3);
}

TEST(CopyTimesBothWaysTest, ACopyIsNoLongerBesideAnotherThanItTakes) {
  v1::MemorySystem system = TwoTiers();
  system.mutable_copies(1)->set_both_ways_share(0.5);
  CopyTimes times(system);
  const int64_t alone_ns = ExpectedCopyNs(system, 1, 0, kCopiedMiB);
  for (int i = 0; i < 10; ++i) {
    times.Note({.from_tier = 1, .size_bytes = kCopiedMiB}, 2 * alone_ns,
               100 * alone_ns);
  }
  EXPECT_NEAR(times.TakeFactors().in, 1, 1e-3);
}

TEST(CopyFactorsTest, ATenthMoreOrLessIsDrift) {
  EXPECT_FALSE(HaveDrifted({1, 1}, {1.08, 0.95}));
  EXPECT_TRUE(HaveDrifted({1, 1}, {1.15, 1}));
  EXPECT_TRUE(HaveDrifted({1, 1}, {1, 0.85}));
  EXPECT_TRUE(HaveDrifted({2, 1}, {1.5, 1}));
}

}  // namespace
}  // namespace stowage::agent
