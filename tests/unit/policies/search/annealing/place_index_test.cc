#include "policies/search/annealing/place_index.h"

#include <algorithm>
#include <random>
#include <set>

#include "gtest/gtest.h"

namespace stowage::policies {
namespace {

constexpr KernelIndex kIndexKernels = 100;

Holding RandomHolding(std::mt19937_64& random, TensorIndex t) {
  const auto a = static_cast<KernelIndex>(random() % (kIndexKernels + 1));
  const auto b = static_cast<KernelIndex>(random() % (kIndexKernels + 1));
  const auto offset = static_cast<int64_t>(random() % 50) * 4096;
  const bool always = random() % 5 == 0;
  return {.tensor = t,
          .begin = always ? 0 : std::min(a, b),
          .end = always ? kIndexKernels + 1 : std::max(a, b) + 1,
          .offset_bytes = offset,
          .end_bytes = offset + 4096};
}

bool IsAlways(const Holding& holding) {
  return holding.begin == 0 && holding.end == kIndexKernels + 1;
}

TEST(PlaceIndexTest, FindsWhatIsHeldAtTheSameTime) {
  std::mt19937_64 random(1);
  PlaceIndex index(kIndexKernels);
  std::vector<Holding> held;
  for (TensorIndex t = 0; t < 400; ++t) {
    held.push_back(RandomHolding(random, t));
    index.Hold(held.back());
    if (random() % 2 == 0) {
      std::swap(held[random() % held.size()], held.back());
      index.Release(held.back());
      held.pop_back();
    }
    const Holding asked = RandomHolding(random, t);
    std::set<TensorIndex> expected, found;
    for (const Holding& other : held) {
      const bool meets = other.begin < asked.end && asked.begin < other.end;
      if (meets && !IsAlways(other)) expected.insert(other.tensor);
    }
    std::vector<Holding> obstacles;
    index.FindObstacles(asked.begin, asked.end, 1000, obstacles);
    for (const Holding& other : obstacles) found.insert(other.tensor);
    ASSERT_EQ(found, expected) << t;
  }
}

TEST(PlaceIndexTest, JoinsWhatIsHeldAllTheTimeSideBySide) {
  PlaceIndex index(kIndexKernels);
  for (const int64_t page : {4, 0, 1, 7}) {
    index.Hold({.tensor = static_cast<TensorIndex>(page),
                .end = kIndexKernels + 1,
                .offset_bytes = page * 4096,
                .end_bytes = (page + 1) * 4096});
  }
  ASSERT_EQ(index.Always().size(), 3);
  EXPECT_EQ(index.Always()[0].end_bytes, 2 * 4096);
  EXPECT_LT(index.Always()[0].tensor, 0);
  index.Release({.tensor = 4, .end = kIndexKernels + 1});
  ASSERT_EQ(index.Always().size(), 2);
  EXPECT_EQ(index.Always()[1].offset_bytes, 7 * 4096);
}

TEST(PlaceIndexTest, StopsWhereThereIsMoreThanIsAskedFor) {
  PlaceIndex index(kIndexKernels);
  for (TensorIndex t = 0; t < 10; ++t) {
    index.Hold({.tensor = t, .begin = 5, .end = 6, .end_bytes = 4096});
  }
  std::vector<Holding> obstacles;
  index.FindObstacles(5, 6, 3, obstacles);
  EXPECT_EQ(obstacles.size(), 4);
}

}  // namespace
}  // namespace stowage::policies
