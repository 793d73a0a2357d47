#include "policies/intervals/reserved_room.h"

#include "gtest/gtest.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

struct Held {
  ReservedRoom reserved;
  FastRoom room;
};

Held HoldRoom(const Graph& graph, int64_t limit_bytes, LayerIndex length,
              bool stage_all) {
  const Workload workload =
      *MakeWorkload(graph, *PresetMemorySystem("optane"), limit_bytes);
  const Layers layers = FindLayers(graph);
  Held held{.room = FastRoom(graph.kernel_count() + 1, workload.arena_bytes)};
  held.reserved = HoldReservedRoom(graph, workload, layers,
                                   DivideIntoIntervals(layers, length),
                                   stage_all, held.room);
  return held;
}

TEST(ReservedRoomTest, LongLivedTensorsAreLeftToTheirUses) {
  LayeredStep step({1, 1, 2});
  const TensorIndex short_lived = step.Add(kMiB, 0, 1);
  const TensorIndex weight = step.AddPersistent(kMiB);
  const Held held = HoldRoom(step.graph(), 8 * kMiB, 1, false);
  EXPECT_FALSE(held.reserved.managed[short_lived]);
  EXPECT_TRUE(held.reserved.managed[weight]);
  EXPECT_EQ(held.room.held_bytes(0), kMiB);
  EXPECT_EQ(held.room.held_bytes(2), 0);
}

TEST(ReservedRoomTest, ReservesFromTheStartOfTheIntervalToTheLastOneThatNeeds) {
  LayeredStep step({1, 2, 2, 3});
  step.Add(3 * kMiB, 2, 2);
  Held held = HoldRoom(step.graph(), 4 * kMiB, 2, false);
  // The interval of layers 1 and 2 begins at kernel 0.
  EXPECT_FALSE(held.room.Fits(0, 1, 2 * kMiB));
  EXPECT_TRUE(held.room.Fits(0, 1, kMiB));
  EXPECT_TRUE(held.room.Fits(3, 4, 4 * kMiB));
}

TEST(ReservedRoomTest, ShortLivedTensorsWithoutRoomAreManaged) {
  LayeredStep step({1, 1, 1});
  const TensorIndex first = step.Add(3 * kMiB, 0, 2);
  const TensorIndex second = step.Add(3 * kMiB, 1, 2);
  const Held held = HoldRoom(step.graph(), 4 * kMiB, 1, false);
  EXPECT_FALSE(held.reserved.managed[first]);
  EXPECT_TRUE(held.reserved.managed[second]);
  EXPECT_EQ(held.reserved.homeless, 1);
}

TEST(ReservedRoomTest, HoldsWhatKernelsStageWhenTheyNeedItFast) {
  LayeredStep step({1, 2});
  const TensorIndex weight = step.AddPersistent(kMiB);
  step.Read(1, weight);
  EXPECT_EQ(HoldRoom(step.graph(), 4 * kMiB, 1, true).room.held_bytes(1), kMiB);
  EXPECT_EQ(HoldRoom(step.graph(), 4 * kMiB, 1, false).room.held_bytes(1), 0);
}

}  // namespace
}  // namespace stowage::policies
