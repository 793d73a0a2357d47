#include "policies/aggregation/adjoining.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/aggregation/small_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

// Returns the tensors of each group, by address.
std::vector<std::vector<TensorIndex>> Adjoin(const SmallStep& step,
                                             int64_t most_group_bytes = 16
                                                                        << 20) {
  const Plan plan = step.MakePlan(*PresetMemorySystem("optane"));
  std::vector<std::vector<TensorIndex>> groups;
  for (const TensorGroup& group : AdjoinTensors(
           step.graph(), plan, *FindTierResidencies(step.graph(), plan),
           AccessIndex(step.graph()), {}, most_group_bytes)) {
    groups.emplace_back();
    int64_t end = 0;
    for (const TensorGroup::Member& member : group.members) {
      EXPECT_EQ(member.offset_bytes, end);
      end +=
          (step.graph().tensors[member.tensor].size_bytes + 4095) / 4096 * 4096;
      groups.back().push_back(member.tensor);
    }
    EXPECT_EQ(group.size_bytes, end);
  }
  return groups;
}

TEST(AdjoiningTest, OrdersTensorsByReuseDistanceAndThenByReuseCount) {
  SmallStep step(10);
  const TensorIndex far = step.Add(20 * kKiB, 0, 9);
  const TensorIndex near_often = step.Add(20 * kKiB, 0, 9);
  const TensorIndex near_once = step.Add(20 * kKiB, 0, 9);
  step.Access(7, far);
  step.Access(1, near_often, 3);
  step.Access(1, near_once);
  for (const TensorIndex t : {far, near_often, near_once}) step.Leave(t, 2, 6);
  EXPECT_THAT(Adjoin(step),
              ElementsAre(ElementsAre(near_once, near_often, far)));
}

TEST(AdjoiningTest, KeepsTensorsApartThatReturnAtDifferentKernels) {
  SmallStep step(10);
  for (const KernelIndex back : {6, 6, 8}) {
    const TensorIndex t = step.Add(20 * kKiB, 0, 9);
    step.Access(back, t);
    step.Leave(t, 2, back);
  }
  EXPECT_THAT(Adjoin(step), ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
}

TEST(AdjoiningTest, LeavesTensorsThatStayToThemselves) {
  SmallStep step(10);
  for (int i = 0; i < 3; ++i) step.Access(1, step.Add(20 * kKiB, 0, 9));
  EXPECT_THAT(Adjoin(step), Each(SizeIs(1)));
}

TEST(AdjoiningTest, MakesNoGroupLargerThanItMayBe) {
  SmallStep step(10);
  for (int i = 0; i < 8; ++i) {
    const TensorIndex t = step.Add(i < 7 ? 20 * kKiB : 33 * kKiB, 0, 9);
    step.Access(5, t);
    step.Leave(t, 2, 5);
  }
  const auto groups = Adjoin(step, /*most_group_bytes=*/64 * kKiB);
  EXPECT_THAT(groups, Contains(SizeIs(3)).Times(2));
  EXPECT_THAT(groups, Contains(ElementsAre(7)));  // alone, as fast
}

TEST(AdjoiningTest, DoesNotHoldRoomLongBeforeItIsNeeded) {
  SmallStep step(40);
  const TensorIndex early = step.Add(20 * kKiB, 0, 39);
  const TensorIndex soon_after = step.Add(20 * kKiB, 1, 39);
  const TensorIndex late = step.Add(20 * kKiB, 19, 39);
  for (const TensorIndex t : {early, soon_after, late}) {
    step.Access(38, t);
    step.Leave(t, 20, 38);
  }
  EXPECT_THAT(Adjoin(step), Contains(SizeIs(2)));
  EXPECT_THAT(Adjoin(step), Contains(ElementsAre(late)));
}

}  // namespace
}  // namespace stowage::policies
