#include "client_sdk/runtime/space/fast_space.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

// The smallest window.

struct Space {
  explicit Space(const FakeAgentOptions& options)
      : memory(options),
        space(&memory.client, &memory.blocks, &memory.mover, &memory.evictor) {}

  PlacedMemory memory;
  FastSpace space;
};

// Fills fast memory with blocks, which die with it.
class Filler {
 public:
  Filler(PlacedMemory* memory, int count) : memory_(memory) {
    for (int i = 0; i < count; ++i) {
      storages_.push_back(std::make_unique<FakeStorage>());
      blocks_.push_back(memory->Make(storages_.back().get(), kUnit, 'a' + i));
    }
  }
  ~Filler() {
    for (Block* block : blocks_) memory_->blocks.Remove(block);
  }
  bool Intact() {
    bool intact = true;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      intact = intact && memory_->Holds(*blocks_[i], 'a' + i);
    }
    return intact;
  }
  const std::vector<Block*>& blocks() const { return blocks_; }

 private:
  PlacedMemory* memory_;
  std::vector<std::unique_ptr<FakeStorage>> storages_;
  std::vector<Block*> blocks_;
};

TEST(FastSpaceTest, TheArenaEndsWhereTheLimitDoesLessTheReserve) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  const int64_t capacity_bytes = s.memory.blocks.fast().capacity_bytes();
  EXPECT_EQ(capacity_bytes + s.space.overhead_bytes() - s.space.window_bytes(),
            40 * kUnit);
  EXPECT_EQ(s.space.tensor_bytes(), capacity_bytes - kUnit);
}

TEST(FastSpaceTest, MoreThanAnEighthOfTheLimitOutsideOfTheArenaCrowdsIt) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  EXPECT_FALSE(s.space.IsCrowdedBy(5 * kUnit));
  EXPECT_TRUE(s.space.IsCrowdedBy(5 * kUnit + 1));
  s.memory.blocks.CountUnmanaged(2 * kUnit);
  EXPECT_FALSE(s.space.IsCrowdedBy(3 * kUnit));
  EXPECT_TRUE(s.space.IsCrowdedBy(4 * kUnit));
}

TEST(FastSpaceTest, PlansLeaveRoomForAWindowOnlyWhereThereIsALimit) {
  Space limited({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  Space share({.fast_bytes = 60 * kUnit, .limit_fraction = 0.5});
  Space unlimited({.fast_bytes = 60 * kUnit});
  EXPECT_EQ(limited.space.overhead_bytes() - unlimited.space.overhead_bytes(),
            kUnit);
  EXPECT_EQ(share.space.overhead_bytes() - unlimited.space.overhead_bytes(),
            kUnit);
}

// Orders a limit, as the agent does. Returns whether it changes the limit.
bool Order(Space* s, const session::LimitOrder& order) {
  session::LimitArea& area = s->memory.client.segment()->limits;
  area.order = order;
  ++area.ordered;
  const bool changes = s->space.FollowOrder();
  EXPECT_EQ(area.taken, area.ordered);
  return changes;
}

TEST(FastSpaceTest, AnOrderEvictsWhatIsBeyondIt) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .finds_limit = true});
  Filler filler(&s.memory, 16);
  s.space.EndStep(/*step=*/0);
  EXPECT_EQ(s.memory.client.segment()->report.limit_bytes, 0);
  EXPECT_TRUE(Order(&s, {.limit_bytes = 8 * kUnit}));
  EXPECT_EQ(s.memory.client.segment()->report.limit_bytes, 8 * kUnit);
  EXPECT_LE(s.memory.UsedBytes(session::kFastTier), 8 * kUnit);
  EXPECT_EQ(s.space.window_bytes(), kUnit);
  EXPECT_TRUE(filler.Intact());
}

TEST(FastSpaceTest, AnOrderGivesRoomBack) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 8 * kUnit});
  s.space.EndStep(/*step=*/5);
  const int64_t before_bytes = s.space.tensor_bytes();
  EXPECT_TRUE(Order(&s, {.limit_bytes = 40 * kUnit}));
  EXPECT_EQ(s.space.limit().bytes(), 40 * kUnit);
  EXPECT_GT(s.space.tensor_bytes(), before_bytes + 30 * kUnit);
  EXPECT_EQ(s.memory.client.segment()->limits.refused_below_bytes, 0);
  EXPECT_FALSE(s.space.FollowOrder());  // it has been taken
}

TEST(FastSpaceTest, ALimitThatIsTooSmallIsRefusedAndTheOldOneStays) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  const int64_t capacity_bytes = s.memory.blocks.fast().capacity_bytes();
  EXPECT_FALSE(Order(&s, {.limit_bytes = session::kPageBytes}));
  EXPECT_EQ(s.space.limit().bytes(), 40 * kUnit);
  EXPECT_EQ(s.memory.blocks.fast().capacity_bytes(), capacity_bytes);
  const int64_t least_bytes =
      s.memory.client.segment()->limits.refused_below_bytes;
  EXPECT_GT(least_bytes, session::kPageBytes);
  EXPECT_TRUE(Order(&s, {.limit_bytes = least_bytes}));
  EXPECT_EQ(s.memory.client.segment()->limits.refused_below_bytes, 0);
}

TEST(FastSpaceTest, WhatIsNeededIsEnoughThoughUsersAreToldWholeMiB) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  const int64_t least_bytes = s.space.LeastLimitBytes();
  EXPECT_LT(least_bytes, EnoughBytes(least_bytes));
  EXPECT_TRUE(Order(&s, {.limit_bytes = least_bytes}));
  EXPECT_EQ(s.space.limit().bytes(), least_bytes);
}

TEST(FastSpaceTest, ALimitStaysWhereTheSlowTierHasNoRoomForAnother) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 2 * kUnit,
           .limit_bytes = 40 * kUnit});
  Filler filler(&s.memory, 16);
  EXPECT_FALSE(Order(&s, {.limit_bytes = 8 * kUnit}));
  EXPECT_EQ(s.memory.client.segment()->limits.refused_below_bytes,
            session::kNoRoomToObey);
  EXPECT_EQ(s.space.limit().bytes(), 40 * kUnit);
  EXPECT_TRUE(filler.Intact());
}

TEST(FastSpaceTest, TheWindowStandsLowestAndIsSetAside) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  const Block* window = s.memory.blocks.fast().Find(0);
  ASSERT_NE(window, nullptr);
  EXPECT_TRUE(window->set_aside);
  EXPECT_EQ(s.memory.UsedBytes(session::kFastTier), s.space.window_bytes());
}

// A page that was first touched through a piece of the window would be a small
// one, on hosts that have huge ones, too.
TEST(FastSpaceTest, AnExtensionHasPagesThatTheArenaHasTouched) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 40 * kUnit});
  ASSERT_TRUE(s.space.ExtendWindow(/*other_bytes=*/0));
  // No tensor is there.
  const int64_t extension_bytes =
      s.memory.UsedBytes(session::kFastTier) - s.space.window_bytes();
  const char* base = s.memory.blocks.tier(session::kFastTier).base;
  std::vector<unsigned char> pages(60 * kUnit / session::kPageBytes);
  ASSERT_EQ(mincore(const_cast<char*>(base), 60 * kUnit, pages.data()), 0);
  const auto absent = std::count_if(
      pages.begin(), pages.end(), [](unsigned char p) { return (p & 1) == 0; });
  EXPECT_LE(absent * session::kPageBytes, 60 * kUnit - extension_bytes);
  s.space.EndExtension();
}

TEST(FastSpaceTest, SmallStoragesMoveTheEndOfTheArena) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_bytes = 10 * kUnit});
  Filler filler(&s.memory, 8);
  s.space.FollowUnmanaged();
  const int64_t before_bytes = s.memory.blocks.fast().capacity_bytes();
  s.memory.blocks.CountUnmanaged(4 * kUnit);
  s.space.FollowUnmanaged();
  EXPECT_LE(s.memory.blocks.fast().capacity_bytes(), before_bytes - 4 * kUnit);
  EXPECT_LE(s.memory.UsedBytes(session::kFastTier),
            s.memory.blocks.fast().capacity_bytes());
  EXPECT_TRUE(filler.Intact());
}

TEST(FastSpaceTest, AShareFollowsTheHighestPeak) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_fraction = 0.5});
  s.space.FollowPeak(/*step=*/0, 40 * kUnit, kUnit);
  EXPECT_EQ(s.space.limit().bytes(), 20 * kUnit);
  Filler filler(&s.memory, 16);
  s.space.EndStep(/*step=*/0);
  s.space.EndStep(/*step=*/1);
  EXPECT_EQ(s.space.limit().bytes(), 8 * kUnit);
  EXPECT_LE(s.memory.UsedBytes(session::kFastTier), 8 * kUnit);
  EXPECT_TRUE(filler.Intact());
  const session::Report& report = s.memory.client.segment()->report;
  EXPECT_EQ(report.limit_bytes, 8 * kUnit);
}

TEST(FastSpaceTest, TheWindowGrowsWithALargeLimitUntilTheSecondStepHasEnded) {
  const int64_t large_bytes = 2000 * kUnit;
  Space s({.fast_bytes = large_bytes,
           .slow_bytes = large_bytes,
           .limit_fraction = 0.5});
  EXPECT_EQ(s.space.window_bytes(), kUnit);
  s.space.FollowPeak(/*step=*/0, large_bytes, kUnit);
  EXPECT_EQ(s.space.window_bytes(), StreamWindow::BytesFor(large_bytes / 2));
}

TEST(FastSpaceTest, AShareGrowsInTheFirstStepWhereABirthFindsNoPiece) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_fraction = 0.7});
  s.space.FollowPeak(/*step=*/0, 26 * kUnit, kUnit);
  Filler filler(&s.memory, 14);
  const Block birth{.size_bytes = 10 * kUnit};
  s.space.FollowBirth(/*step=*/0, birth, 11 * kUnit);
  const int64_t before_bytes = s.space.limit().bytes();
  EXPECT_LT(before_bytes, 20 * kUnit);
  Block* used = filler.blocks()[9];  // and 9 units or less on either side
  s.memory.blocks.BeginUse(used);
  s.space.FollowBirth(/*step=*/1, birth, 11 * kUnit);
  EXPECT_EQ(s.space.limit().bytes(), before_bytes);
  s.space.FollowBirth(/*step=*/0, birth, 11 * kUnit);
  EXPECT_GT(s.space.limit().bytes(), 20 * kUnit);
  s.memory.blocks.EndUse(used);
}

TEST(FastSpaceTest, AnExtensionTakesWhatIsNotNeededOtherwiseAndComesBack) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_bytes = 20 * kUnit});
  Filler filler(&s.memory, 10);
  ASSERT_TRUE(s.space.ExtendWindow(/*other_bytes=*/4 * kUnit));
  EXPECT_FALSE(s.space.ExtendWindow(0));  // one kernel has it
  EXPECT_GT(s.memory.UsedBytes(session::kFastTier), 10 * kUnit);
  EXPECT_LE(s.memory.UsedBytes(session::kFastTier),
            s.memory.blocks.fast().capacity_bytes());
  s.space.EndExtension();
  EXPECT_LE(s.memory.UsedBytes(session::kFastTier), 11 * kUnit);
  EXPECT_TRUE(filler.Intact());
}

TEST(FastSpaceTest, UnderAPlanTheExtensionStandsWhereThePlanHasIt) {
  Space s({.fast_bytes = 60 * kUnit, .limit_bytes = 20 * kUnit});
  const int64_t end_bytes = s.memory.blocks.fast().capacity_bytes() - kUnit;
  ASSERT_TRUE(s.space.ExtendWindowAt(end_bytes - 4 * kUnit, 4 * kUnit));
  EXPECT_NE(s.memory.blocks.fast().Find(end_bytes - 1), nullptr);
  EXPECT_EQ(s.memory.blocks.fast().Find(end_bytes), nullptr);
  s.space.EndExtension();
  EXPECT_EQ(s.memory.blocks.fast().Find(end_bytes - 1), nullptr);
  EXPECT_FALSE(s.space.ExtendWindowAt(end_bytes, 0));
}

TEST(FastSpaceTest, WhatStandsWhereThePlanHasTheExtensionLeaves) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_bytes = 20 * kUnit});
  Filler filler(&s.memory, 3);
  const Block& first = *filler.blocks().front();
  ASSERT_TRUE(s.space.ExtendWindowAt(first.place.offset_bytes, 4 * kUnit));
  EXPECT_EQ(first.place.tier, 1);
  s.space.EndExtension();
  EXPECT_TRUE(filler.Intact());
}

TEST(FastSpaceTest, AnExtensionIntoAHoleEvictsNothing) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 100 * kUnit,
           .limit_bytes = 20 * kUnit});
  {
    Filler filler(&s.memory, 10);
    ASSERT_TRUE(s.space.ExtendWindowIntoHole());
    EXPECT_TRUE(s.space.extends_window());
    for (const Block* block : filler.blocks()) {
      EXPECT_EQ(block->place.tier, session::kFastTier);
    }
    s.space.EndExtension();
  }
  {
    Filler almost_full(&s.memory, 17);
    EXPECT_TRUE(s.space.ExtendWindowIntoHole());
    s.space.EndExtension();
  }
  Filler full(&s.memory, 18);
  EXPECT_FALSE(s.space.ExtendWindowIntoHole());
  EXPECT_FALSE(s.space.extends_window());
}

TEST(FastSpaceTest, AnExtensionThatCannotBeMadeDoesNotStandInTheWay) {
  Space s({.fast_bytes = 60 * kUnit,
           .slow_bytes = 2 * kUnit,
           .limit_bytes = 20 * kUnit});
  {
    Filler filler(&s.memory, 15);
    EXPECT_THROW(s.space.ExtendWindow(0), std::runtime_error);  // slow is full
    EXPECT_TRUE(filler.Intact());
  }
  EXPECT_TRUE(s.space.ExtendWindow(0));
}

TEST(FastSpaceTest, ATensorLargerThanTheArenaTellsInTheFirstStepAlone) {
  Space s({.fast_bytes = 200 * kUnit, .limit_bytes = 8 * kUnit});
  const Block large{.size_bytes = 100 * kUnit};
  EXPECT_FALSE(s.space.Admits(large, /*step=*/0));
  EXPECT_TRUE(s.space.Admits(large, /*step=*/1));
  EXPECT_THROW(s.space.CheckLimit(), std::runtime_error);
  EXPECT_GE(s.memory.client.segment()->report.least_limit_bytes, 50 * kUnit);
}

TEST(FastSpaceTest, AnAddressableSlowTierTakesEveryTensor) {
  Space s({.fast_bytes = 200 * kUnit,
           .slow_is_file = false,
           .limit_bytes = 8 * kUnit});
  EXPECT_TRUE(s.space.Admits({.size_bytes = 100 * kUnit}, /*step=*/0));
  EXPECT_NO_THROW(s.space.CheckLimit());
}

}  // namespace
}  // namespace stowage::runtime
