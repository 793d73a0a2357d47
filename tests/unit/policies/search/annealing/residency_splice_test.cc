#include "policies/search/annealing/residency_splice.h"

#include <tuple>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

constexpr KernelIndex kBoundary = 10;
const std::vector<KernelIndex>& Uses() {
  static const std::vector<KernelIndex> uses = {2, 5, 8, 12, 15, 18};
  return uses;
}

Residency Fetched(KernelIndex begin, KernelIndex ready, KernelIndex leave,
                  KernelIndex end) {
  return {.begin = begin,
          .ready = ready,
          .leave = leave,
          .end = end,
          .moved_in = true,
          .moved_out = true};
}

void ExpectResidency(const Residency& residency, KernelIndex begin,
                     KernelIndex ready, KernelIndex leave, KernelIndex end) {
  EXPECT_EQ(std::tuple(residency.begin, residency.ready, residency.leave,
                       residency.end),
            std::tuple(begin, ready, leave, end));
}

TEST(ResidencySpliceTest,
     TakesWhatIsWhollyBeforeFromOneAndTheRestFromTheOther) {
  const auto residencies = SpliceResidencies(
      Uses(), {Fetched(1, 2, 3, 4), Fetched(14, 15, 16, 17)},
      {Fetched(4, 5, 6, 7), Fetched(10, 12, 13, 14)}, kBoundary);
  ASSERT_EQ(residencies.size(), 2u);
  ExpectResidency(residencies[0], 1, 2, 3, 4);
  ExpectResidency(residencies[1], 10, 12, 13, 14);
}

TEST(ResidencySpliceTest, JoinsResidenciesAcrossTheBoundary) {
  Residency last = Fetched(7, 8, 21, 21);
  last.moved_out = false;
  const auto residencies =
      SpliceResidencies(Uses(), {Fetched(4, 5, 13, 14)}, {last}, kBoundary);
  ASSERT_EQ(residencies.size(), 1u);
  ExpectResidency(residencies[0], 4, 5, 21, 21);
  EXPECT_TRUE(residencies[0].moved_in);
  EXPECT_FALSE(residencies[0].moved_out);
}

TEST(ResidencySpliceTest, JoinsCopiesThatAreUnderWay) {
  const auto arriving = SpliceResidencies(Uses(), {Fetched(9, 18, 19, 20)},
                                          {Fetched(7, 12, 13, 14)}, kBoundary);
  ASSERT_EQ(arriving.size(), 1u);
  ExpectResidency(arriving[0], 9, 12, 13, 14);
  const auto leaving = SpliceResidencies(Uses(), {Fetched(4, 5, 9, 11)},
                                         {Fetched(4, 5, 6, 12)}, kBoundary);
  ASSERT_EQ(leaving.size(), 1u);
  ExpectResidency(leaving[0], 4, 5, 9, 12);
}

TEST(ResidencySpliceTest, LeavesBehindTheLastUseBeforeTheBoundary) {
  const auto residencies =
      SpliceResidencies(Uses(), {Fetched(4, 5, 16, 17)}, {}, kBoundary);
  ASSERT_EQ(residencies.size(), 1u);
  ExpectResidency(residencies[0], 4, 5, 9, 10);
}

TEST(ResidencySpliceTest, ComesForTheFirstUseBehindTheBoundary) {
  const auto residencies =
      SpliceResidencies(Uses(), {}, {Fetched(4, 5, 16, 17)}, kBoundary);
  ASSERT_EQ(residencies.size(), 1u);
  ExpectResidency(residencies[0], 10, 12, 16, 17);
}

TEST(ResidencySpliceTest, LeavesOutWhatIsNotUsedOnItsSide) {
  EXPECT_TRUE(SpliceResidencies(Uses(), {Fetched(9, 12, 13, 14)}, {}, kBoundary)
                  .empty());
  EXPECT_TRUE(
      SpliceResidencies(Uses(), {}, {Fetched(7, 8, 9, 11)}, kBoundary).empty());
}

}  // namespace
}  // namespace stowage::policies
