#include "policies/search/annealing/stay_splice.h"

#include <tuple>

#include "gtest/gtest.h"

namespace stowage {
namespace {

constexpr KernelIndex kBoundary = 10;
const std::vector<KernelIndex>& Uses() {
  static const std::vector<KernelIndex> uses = {2, 5, 8, 12, 15, 18};
  return uses;
}

FastSegment Fetched(KernelIndex begin, KernelIndex ready, KernelIndex leave,
                    KernelIndex end) {
  return {.begin = begin,
          .ready = ready,
          .leave = leave,
          .end = end,
          .moved_in = true,
          .moved_out = true};
}

void ExpectStay(const FastSegment& stay, KernelIndex begin, KernelIndex ready,
                KernelIndex leave, KernelIndex end) {
  EXPECT_EQ(std::tuple(stay.begin, stay.ready, stay.leave, stay.end),
            std::tuple(begin, ready, leave, end));
}

TEST(StaySpliceTest, TakesWhatIsWhollyBeforeFromOneAndTheRestFromTheOther) {
  const auto stays =
      SpliceStays(Uses(), {Fetched(1, 2, 3, 4), Fetched(14, 15, 16, 17)},
                  {Fetched(4, 5, 6, 7), Fetched(10, 12, 13, 14)}, kBoundary);
  ASSERT_EQ(stays.size(), 2u);
  ExpectStay(stays[0], 1, 2, 3, 4);
  ExpectStay(stays[1], 10, 12, 13, 14);
}

TEST(StaySpliceTest, JoinsStaysAcrossTheBoundary) {
  FastSegment last = Fetched(7, 8, 21, 21);
  last.moved_out = false;
  const auto stays =
      SpliceStays(Uses(), {Fetched(4, 5, 13, 14)}, {last}, kBoundary);
  ASSERT_EQ(stays.size(), 1u);
  ExpectStay(stays[0], 4, 5, 21, 21);
  EXPECT_TRUE(stays[0].moved_in);
  EXPECT_FALSE(stays[0].moved_out);
}

TEST(StaySpliceTest, JoinsCopiesThatAreUnderWay) {
  const auto arriving = SpliceStays(Uses(), {Fetched(9, 18, 19, 20)},
                                    {Fetched(7, 12, 13, 14)}, kBoundary);
  ASSERT_EQ(arriving.size(), 1u);
  ExpectStay(arriving[0], 9, 12, 13, 14);
  const auto leaving = SpliceStays(Uses(), {Fetched(4, 5, 9, 11)},
                                   {Fetched(4, 5, 6, 12)}, kBoundary);
  ASSERT_EQ(leaving.size(), 1u);
  ExpectStay(leaving[0], 4, 5, 9, 12);
}

TEST(StaySpliceTest, LeavesBehindTheLastUseBeforeTheBoundary) {
  const auto stays =
      SpliceStays(Uses(), {Fetched(4, 5, 16, 17)}, {}, kBoundary);
  ASSERT_EQ(stays.size(), 1u);
  ExpectStay(stays[0], 4, 5, 9, 10);
}

TEST(StaySpliceTest, ComesForTheFirstUseBehindTheBoundary) {
  const auto stays =
      SpliceStays(Uses(), {}, {Fetched(4, 5, 16, 17)}, kBoundary);
  ASSERT_EQ(stays.size(), 1u);
  ExpectStay(stays[0], 10, 12, 16, 17);
}

TEST(StaySpliceTest, LeavesOutWhatIsNotUsedOnItsSide) {
  EXPECT_TRUE(
      SpliceStays(Uses(), {Fetched(9, 12, 13, 14)}, {}, kBoundary).empty());
  EXPECT_TRUE(
      SpliceStays(Uses(), {}, {Fetched(7, 8, 9, 11)}, kBoundary).empty());
}

}  // namespace
}  // namespace stowage
