#include "policies/aggregation/batching.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/aggregation/small_step.h"

namespace stowage::policies {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using Page = std::vector<std::pair<TensorIndex, int64_t>>;

// Returns members and offsets of each page.
std::vector<Page> Batch(
    const SmallStep& step,
    const MemorySystem& system = *PresetMemorySystem("optane"),
    const BatchingSettings& settings = {}) {
  const Plan plan = step.MakePlan(system);
  std::vector<Page> pages;
  for (const TensorGroup& group : BatchMicroTensors(
           step.graph(), system, plan, *FindTierResidencies(step.graph(), plan),
           AccessIndex(step.graph()), settings)) {
    EXPECT_TRUE(group.batch);
    EXPECT_EQ(group.size_bytes, 4096);
    pages.emplace_back();
    for (const TensorGroup::Member& member : group.members) {
      pages.back().push_back({member.tensor, member.offset_bytes});
    }
  }
  return pages;
}

// Makes a step with so much room that a batch is less than a tenth of the peak.
SmallStep Step(int kernels = 4) {
  SmallStep step(kernels);
  const TensorIndex large = step.AddWeight(1 << 20);
  step.Access(0, large);
  return step;
}

TEST(BatchingTest, MicroTensorsOfOneKernelShareAPage) {
  SmallStep step = Step();
  const TensorIndex a = step.Add(1000, 1, 2);
  const TensorIndex b = step.Add(100, 1, 3);
  for (const TensorIndex t : {a, b}) {
    step.Access(1, t);
    step.Access(2, t);
  }
  EXPECT_THAT(Batch(step), ElementsAre(ElementsAre(Pair(a, 0), Pair(b, 1024))));
}

TEST(BatchingTest, ThoseAccessedMostComeFirstAndThenTheLargest) {
  SmallStep step = Step();
  const TensorIndex twice = step.Add(3000, 1, 2);
  const TensorIndex thrice_small = step.Add(64, 1, 2);
  const TensorIndex thrice_large = step.Add(2000, 1, 2);
  step.Access(1, twice, 2);
  step.Access(1, thrice_small, 3);
  step.Access(1, thrice_large, 2);
  step.Access(2, thrice_large);
  EXPECT_THAT(Batch(step), ElementsAre(ElementsAre(Pair(thrice_large, 0),
                                                   Pair(thrice_small, 2048)),
                                       ElementsAre(Pair(twice, 0))));
}

TEST(BatchingTest, WhatIsAccessedOnceHasAPageOfItsOwn) {
  SmallStep step = Step();
  step.Access(1, step.Add(100, 1, 2));
  EXPECT_THAT(Batch(step), IsEmpty());
}

TEST(BatchingTest, ATensorOfAPageIsNoMicroTensor) {
  SmallStep step = Step();
  step.Access(1, step.Add(4096, 1, 2), 5);
  EXPECT_THAT(Batch(step), IsEmpty());
}

TEST(BatchingTest, TensorsOfDifferentKernelsOrMovesDoNotSharePages) {
  SmallStep step = Step(6);
  for (const KernelIndex birth : {0, 1}) {
    step.Access(birth, step.Add(100, birth, 5), 2);
  }
  const TensorIndex leaves = step.Add(100, 1, 5);
  step.Access(1, leaves, 2);
  step.Leave(leaves, 2, 5);
  EXPECT_THAT(Batch(step), SizeIs(3));
}

TEST(BatchingTest, PagesTakeNoMoreThanTheReservedShareOfThePeak) {
  SmallStep step = Step();  // its weight has 256 pages
  for (int i = 0; i < 50; ++i) {
    step.Access(1, step.Add(4000, 1, 2), i < 10 ? 9 : 2);
  }
  const std::vector<Page> pages = Batch(step);
  // A tenth of the weight and the 50 tensors.
  EXPECT_THAT(pages, SizeIs((256 + 48) / 10));
  for (int i = 0; i < 10; ++i) EXPECT_LE(pages[i].front().first, 10);
  EXPECT_THAT(Batch(step, *PresetMemorySystem("optane"), {.reserved_share = 0}),
              IsEmpty());
}

TEST(BatchingTest, PagesThatAreNotHeldAtTheSameTimeShareTheReservedSpace) {
  SmallStep step = Step(20);
  for (KernelIndex k = 0; k < 20; ++k) {
    for (int i = 0; i < 20; ++i) step.Access(k, step.Add(4000, k, k), 2);
  }
  EXPECT_THAT(Batch(step), SizeIs(400));
}

TEST(BatchingTest, WhatGoesToATierOfWholePagesHasAPageOfItsOwn) {
  SmallStep step = Step(6);
  const TensorIndex leaves = step.Add(100, 1, 5);
  const TensorIndex residencies = step.Add(100, 1, 5);
  for (const TensorIndex t : {leaves, residencies}) step.Access(1, t, 2);
  step.Leave(leaves, 2, 5);
  EXPECT_THAT(Batch(step, *PresetMemorySystem("file")),
              ElementsAre(ElementsAre(Pair(residencies, 0))));
  EXPECT_THAT(Batch(step), SizeIs(2));
}

}  // namespace
}  // namespace stowage::policies
