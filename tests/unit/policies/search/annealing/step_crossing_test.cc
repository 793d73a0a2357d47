#include "policies/search/annealing/step_crossing.h"

#include <set>
#include <tuple>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

using Residencies = std::vector<Residency>;

// The number of kernels of the step.
constexpr KernelIndex kKernels = 20;
const std::vector<KernelIndex>& CrossingUses() {
  static const std::vector<KernelIndex> uses = {3, 15};
  return uses;
}

Residency Between(KernelIndex begin, KernelIndex end) {
  return {.begin = begin,
          .ready = begin,
          .leave = end,
          .end = end,
          .moved_in = begin > 0,
          .moved_out = end <= kKernels};
}

// Says whether the tensor is fast as the step begins and as it ends, and how
// often it is fetched within.
using Form = std::tuple<bool, bool, int>;

Form FormOf(const Residencies& residencies) {
  int fetches = 0;
  for (const Residency& residency : residencies) {
    fetches += residency.moved_in ? 1 : 0;
  }
  return {!residencies.front().moved_in, !residencies.back().moved_out,
          fetches};
}

std::set<Form> FormsDrawnFrom(const Residencies& residencies) {
  std::set<Form> forms;
  std::mt19937_64 random(1);
  for (int n = 0; n < 200; ++n) {
    Residencies drawn = residencies;
    if (CrossOtherwise(random, CrossingUses(), kKernels, drawn)) {
      forms.insert(FormOf(drawn));
    }
  }
  return forms;
}

// It stays; it leaves and returns before the end, or behind the beginning; or
// it leaves before the one and returns behind the other.
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
    Residencies residencies = {Between(2, 17)};
    CrossOtherwise(random, CrossingUses(), kKernels, residencies);
    if (residencies.size() != 2) continue;
    const bool is_late = residencies[0].end <= CrossingUses().front();
    (is_late ? leaves : fetches) = true;
    EXPECT_LE(residencies[0].end, residencies[1].begin);
    EXPECT_EQ(residencies[1].ready, is_late ? 2 : kKernels);
  }
  EXPECT_TRUE(fetches);
  EXPECT_TRUE(leaves);
}

TEST(StepCrossingTest, HasNoTimeToLeaveBeforeAUseAtOnce) {
  std::mt19937_64 random(1);
  for (int n = 0; n < 50; ++n) {
    Residencies residencies = {Between(0, kKernels + 1)};
    CrossOtherwise(random, {0, 15}, kKernels, residencies);
    EXPECT_EQ(residencies.front().ready, 0);
  }
}

TEST(StepCrossingTest, LeavesTheOtherSideAsWell) {
  std::mt19937_64 random(1);
  Residencies residencies = {Between(0, 10), Between(14, 17)};
  MendCrossing(random, CrossingUses(), kKernels, residencies);
  ASSERT_EQ(residencies.size(), 2u);
  EXPECT_TRUE(residencies[0].moved_in);
  EXPECT_EQ(residencies[0].ready, CrossingUses().front());
  EXPECT_EQ(residencies[1].end, 17);

  residencies = {Between(2, 10), Between(14, kKernels + 1)};
  MendCrossing(random, CrossingUses(), kKernels, residencies);
  ASSERT_EQ(residencies.size(), 2u);
  EXPECT_TRUE(residencies[1].moved_out);
  EXPECT_EQ(residencies[1].leave, CrossingUses().back() + 1);
  EXPECT_LE(residencies[1].end, kKernels);
}

TEST(StepCrossingTest, LeavesOutWhatNoUseIsLeftIn) {
  std::mt19937_64 random(1);
  Residencies residencies = {Between(2, 17), Between(18, kKernels + 1)};
  MendCrossing(random, CrossingUses(), kKernels, residencies);
  EXPECT_EQ(residencies.size(), 1u);
  residencies = {Between(0, 2)};
  MendCrossing(random, CrossingUses(), kKernels, residencies);
  EXPECT_TRUE(residencies.empty());
}

TEST(StepCrossingTest, KeepsWhatIsThereOnBothSides) {
  std::mt19937_64 random(1);
  Residencies residencies = {Between(0, 10), Between(14, kKernels + 1)};
  MendCrossing(random, CrossingUses(), kKernels, residencies);
  EXPECT_EQ(residencies[0].begin, 0);
  EXPECT_EQ(residencies[1].end, kKernels + 1);
}

}  // namespace
}  // namespace stowage::policies
