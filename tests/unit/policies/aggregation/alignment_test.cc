#include "policies/aggregation/alignment.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/aggregation/small_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Windows = std::vector<std::pair<KernelIndex, KernelIndex>>;

// Returns start and deadline of the tensor's moves, in order.
Windows WindowsOf(const Plan& plan, TensorIndex tensor) {
  Windows windows;
  for (const Move& move : plan.moves) {
    if (move.tensor != tensor) continue;
    windows.push_back({move.start_kernel, move.deadline_kernel});
  }
  return windows;
}

Plan Align(const SmallStep& step, const AlignmentSettings& settings = {}) {
  const Plan plan = step.MakePlan(*PresetMemorySystem("optane"));
  return AlignMoves(step.graph(), plan,
                    *FindTierResidencies(step.graph(), plan), settings);
}

// Adds a tensor that is away from boundary `from` + 1 to `to`.
TensorIndex AddAway(SmallStep& step, int64_t bytes, KernelIndex from,
                    KernelIndex to) {
  const TensorIndex t = step.AddWeight(bytes);
  step.Access(to, t);
  step.Leave(t, from, to);
  return t;
}

TEST(AlignmentTest, NeighboursLeaveWithTheLastAndReturnWithTheFirst) {
  SmallStep step(20);
  const TensorIndex a = AddAway(step, 4 * kKiB, 2, 18);
  const TensorIndex b = AddAway(step, 4 * kKiB, 3, 17);
  const Plan plan = Align(step);
  for (const TensorIndex t : {a, b}) {
    EXPECT_THAT(WindowsOf(plan, t), ElementsAre(Pair(3, 4), Pair(16, 17)));
  }
}

TEST(AlignmentTest, KeepsEachAwayForHalfOfItsTimeAtLeast) {
  SmallStep step(40);
  const TensorIndex early = AddAway(step, 4 * kKiB, 2, 20);
  const TensorIndex late = AddAway(step, 4 * kKiB, 15, 38);
  const Plan plan = Align(step);
  EXPECT_THAT(WindowsOf(plan, early), ElementsAre(Pair(2, 3), Pair(19, 20)));
  EXPECT_THAT(WindowsOf(plan, late), ElementsAre(Pair(15, 16), Pair(37, 38)));
}

TEST(AlignmentTest, LeavesLargeTensorsAlone) {
  SmallStep step(20);
  const TensorIndex small = AddAway(step, 4 * kKiB, 2, 18);
  const TensorIndex large = AddAway(step, 2 << 20, 3, 17);
  const Plan plan = Align(step);
  EXPECT_THAT(WindowsOf(plan, small), ElementsAre(Pair(2, 3), Pair(17, 18)));
  EXPECT_THAT(WindowsOf(plan, large), ElementsAre(Pair(3, 4), Pair(16, 17)));
}

TEST(AlignmentTest, MakesGroupsNoLargerThanTheyMayBe) {
  SmallStep step(20);
  for (int i = 0; i < 4; ++i) AddAway(step, 4 * kKiB, 2 + i, 18 - i);
  const Plan plan = Align(step, {.most_group_bytes = 8 * kKiB});
  EXPECT_EQ(WindowsOf(plan, 0), WindowsOf(plan, 1));
  EXPECT_NE(WindowsOf(plan, 1), WindowsOf(plan, 2));
  EXPECT_EQ(WindowsOf(plan, 2), WindowsOf(plan, 3));
}

TEST(AlignmentTest, DoesNotCopyWhatIsBeingWritten) {
  SmallStep step(20);
  const TensorIndex a = AddAway(step, 4 * kKiB, 2, 18);
  AddAway(step, 4 * kKiB, 3, 17);
  const Graph reads = step.graph();
  Graph writes = reads;
  writes.kernels[16].operands.push_back({.tensor = a, .write = true});
  const Plan plan = step.MakePlan(*PresetMemorySystem("optane"));
  const AlignmentSettings settings;
  EXPECT_THAT(WindowsOf(AlignMoves(reads, plan,
                                   *FindTierResidencies(reads, plan), settings),
                        a),
              ElementsAre(Pair(3, 4), Pair(16, 17)));
  EXPECT_THAT(
      WindowsOf(AlignMoves(writes, plan, *FindTierResidencies(writes, plan),
                           settings),
                a),
      ElementsAre(Pair(2, 3), Pair(17, 18)));
}

TEST(AlignmentTest, StaysWithinATensorsLife) {
  SmallStep step(20);
  const TensorIndex dies = step.Add(4 * kKiB, 0, 10);
  step.Leave(dies, 2, 9);
  const TensorIndex lives = step.Add(4 * kKiB, 6, 18);
  step.Leave(lives, 8, 17);
  const Plan plan = Align(step);
  EXPECT_THAT(WindowsOf(plan, dies), ElementsAre(Pair(2, 3), Pair(8, 9)));
  EXPECT_THAT(WindowsOf(plan, lives), ElementsAre(Pair(8, 9), Pair(16, 17)));
}

}  // namespace
}  // namespace stowage::policies
