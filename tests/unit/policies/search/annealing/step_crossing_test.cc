#include "policies/search/annealing/step_crossing.h"

#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace stowage {
namespace {

using Stays = std::vector<FastSegment>;

// Of a step of 20 kernels.
constexpr KernelIndex kKernels = 20;
const std::vector<KernelIndex>& Uses() {
  static const std::vector<KernelIndex> uses = {3, 15};
  return uses;
}

FastSegment Between(KernelIndex begin, KernelIndex end) {
  return {.begin = begin,
          .ready = begin,
          .leave = end,
          .end = end,
          .moved_in = begin > 0,
          .moved_out = end <= kKernels};
}

// Whether it is fast as the step begins, whether as it ends, and how often it is
// fetched within.
using Form = std::tuple<bool, bool, int>;

Form FormOf(const Stays& stays) {
  int fetches = 0;
  for (const FastSegment& stay : stays) fetches += stay.moved_in ? 1 : 0;
  return {!stays.front().moved_in, !stays.back().moved_out, fetches};
}

std::set<Form> FormsDrawnFrom(const Stays& stays) {
  std::set<Form> forms;
  std::mt19937_64 random(1);
  for (int n = 0; n < 200; ++n) {
    Stays drawn = stays;
    if (CrossOtherwise(random, Uses(), kKernels, drawn)) {
      forms.insert(FormOf(drawn));
    }
  }
  return forms;
}

// Stays there, leaves and returns before the end or behind the beginning, and
// leaves before the one and returns behind the other.
TEST(StepCrossingTest, DrawsEveryWayAcross) {
  const std::set<Form> forms = {
      {true, true, 0}, {true, true, 1}, {false, false, 1}};
  EXPECT_EQ(FormsDrawnFrom({Between(0, kKernels + 1)}), forms);
  EXPECT_EQ(FormsDrawnFrom({Between(0, 17), Between(18, kKernels + 1)}), forms);
  const std::set<Form> crossing = {{true, true, 0}, {true, true, 1}};
  EXPECT_EQ(FormsDrawnFrom({Between(2, 17)}), crossing);
}

TEST(StepCrossingTest, FetchesBeforeTheEndOrLeavesBehindTheBeginning) {
  bool fetches = false, leaves = false;
  std::mt19937_64 random(1);
  for (int n = 0; n < 200; ++n) {
    Stays stays = {Between(2, 17)};
    CrossOtherwise(random, Uses(), kKernels, stays);
    if (stays.size() != 2) continue;
    const bool is_late = stays[0].end <= Uses().front();
    (is_late ? leaves : fetches) = true;
    EXPECT_LE(stays[0].end, stays[1].begin);
    EXPECT_EQ(stays[1].ready, is_late ? 2 : kKernels);
  }
  EXPECT_TRUE(fetches);
  EXPECT_TRUE(leaves);
}

TEST(StepCrossingTest, HasNoTimeToLeaveBeforeAUseAtOnce) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 50; ++n) {
    Stays stays = {Between(0, kKernels + 1)};
    CrossOtherwise(random, {0, 15}, kKernels, stays);
    EXPECT_EQ(stays.front().ready, 0);
  }
}

TEST(StepCrossingTest, LeavesTheOtherSideAsWell) {
  std::mt19937_64 random(1);
  Stays stays = {Between(0, 10), Between(14, 17)};
  MendCrossing(random, Uses(), kKernels, stays);
  ASSERT_EQ(stays.size(), 2u);
  EXPECT_TRUE(stays[0].moved_in);
  EXPECT_EQ(stays[0].ready, Uses().front());
  EXPECT_EQ(stays[1].end, 17);

  stays = {Between(2, 10), Between(14, kKernels + 1)};
  MendCrossing(random, Uses(), kKernels, stays);
  ASSERT_EQ(stays.size(), 2u);
  EXPECT_TRUE(stays[1].moved_out);
  EXPECT_EQ(stays[1].leave, Uses().back() + 1);
  EXPECT_LE(stays[1].end, kKernels);
}

TEST(StepCrossingTest, LeavesOutWhatNoUseIsLeftIn) {
  std::mt19937_64 random(1);
  Stays stays = {Between(2, 17), Between(18, kKernels + 1)};
  MendCrossing(random, Uses(), kKernels, stays);
  EXPECT_EQ(stays.size(), 1u);
  stays = {Between(0, 2)};
  MendCrossing(random, Uses(), kKernels, stays);
  EXPECT_TRUE(stays.empty());
}

TEST(StepCrossingTest, KeepsWhatIsThereOnBothSides) {
  std::mt19937_64 random(1);
  Stays stays = {Between(0, 10), Between(14, kKernels + 1)};
  MendCrossing(random, Uses(), kKernels, stays);
  EXPECT_EQ(stays[0].begin, 0);
  EXPECT_EQ(stays[1].end, kKernels + 1);
}

}  // namespace
}  // namespace stowage
