#include "client_sdk/runtime/placing/hint_follower.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/planned_memory.h"

namespace stowage::runtime {
namespace {

constexpr int kKernels = 200;
constexpr uint64_t kPlanNumber = 3;

// The test is the agent: it answers situations.
class HintFollowerTest : public testing::Test {
 protected:
  explicit HintFollowerTest(bool slow_is_file = true)
      : memory_(slow_is_file),
        tensors_(&memory_.placed.blocks),
        segment_(*memory_.placed.client.segment()),
        publisher_(&memory_.placed.client, &memory_.placed.blocks,
                   &memory_.placed.mover),
        hints_(&segment_, &memory_.placed.blocks, &memory_.placed.mover,
               &tensors_, &publisher_) {
    memory_.plan().number = kPlanNumber;
    memory_.AddKernel(
        0,
        {{.tensor = 5, .tier = session::kFastTier, .size_bytes = 2 * kPage}});
    for (int k = 1; k < kKernels; ++k) memory_.AddKernel(k);
  }

  Block* MakeTensor(int32_t tensor, int64_t pages,
                    int tier = session::kFastTier) {
    return memory_.MakeTensor(&tensors_, tensor, pages, tier);
  }
  void Begin() {
    if (tensors_.all().empty()) tensors_.Recognize(memory_.plan(), 1, 0);
    hints_.Begin(memory_.plan());
  }
  static RunningKernel KernelAt(int32_t index) {
    return {.key = static_cast<uint64_t>(index), .index = index};
  }
  void Follow(int32_t kernel) { hints_.Follow(KernelAt(kernel)); }
  void Answer(const std::vector<session::Hint>& hints) {
    std::copy(hints.begin(), hints.end(), segment_.hints.hints);
    segment_.hints.hint_count = static_cast<uint32_t>(hints.size());
    segment_.situations_answered.store(segment_.situations_stated);
  }
  void ExpectTotals(int64_t taken, int64_t ignored) {
    EXPECT_EQ(hints_.totals().taken, taken);
    EXPECT_EQ(hints_.totals().ignored, ignored);
  }

  PlannedMemory memory_;
  PlanTensors tensors_;
  session::Segment& segment_;
  StepPublisher publisher_;
  HintFollower hints_;
};

class MemoryHintFollowerTest : public HintFollowerTest {
 protected:
  MemoryHintFollowerTest() : HintFollowerTest(/*slow_is_file=*/false) {}
};

TEST_F(HintFollowerTest, TheFirstKernelStatesWhatIsWhere) {
  MakeTensor(2, 4, /*tier=*/1);
  MakeTensor(1, 3);
  Begin();
  Follow(7);
  const session::SituationArea& situation = segment_.situation;
  EXPECT_EQ(segment_.situations_stated, 1u);
  EXPECT_EQ(situation.plan, kPlanNumber);
  EXPECT_EQ(situation.kernel, 7);
  EXPECT_EQ(situation.free_bytes[0], 13 * kPage);
  ASSERT_EQ(situation.resident_count, 2u);
  EXPECT_EQ(situation.residents[0].tensor, 1);
  EXPECT_EQ(situation.residents[0].tier, 0);
  EXPECT_EQ(situation.residents[1].tensor, 2);
  EXPECT_EQ(situation.residents[1].tier, 1);
}

TEST_F(HintFollowerTest, TheNextSituationComesWhenHalfOfTheWindowHasRun) {
  Begin();
  Follow(0);
  Answer({});
  Follow(session::kHintWindow / 2 - 1);
  EXPECT_EQ(segment_.situations_stated, 1u);
  Follow(session::kHintWindow / 2);
  EXPECT_EQ(segment_.situations_stated, 2u);
}

TEST_F(HintFollowerTest, OneSituationIsUnderWayAtMost) {
  Begin();
  Follow(0);
  Follow(kKernels - 1);
  EXPECT_EQ(segment_.situations_stated, 1u);
}

TEST_F(HintFollowerTest, AHintMovesATensorFromItsKernelOn) {
  Block* block = MakeTensor(1, 2);
  Begin();
  Follow(0);
  Answer({{.kernel = 3, .tensor = 1, .tier = 1}});
  Follow(2);
  EXPECT_FALSE(block->moving());
  Follow(3);
  EXPECT_TRUE(block->moving());
  ExpectTotals(/*taken=*/1, /*ignored=*/0);
  hints_.End();
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_TRUE(memory_.placed.Holds(*block, 'a'));
}

TEST_F(HintFollowerTest, AFetchWaitsForRoomAndEvictsNothing) {
  Block* absent = MakeTensor(1, 4, /*tier=*/1);
  Block* present = memory_.Make(14);
  Begin();
  Follow(0);
  Answer({{.kernel = 1, .tensor = 1, .tier = 0}});
  Follow(1);
  EXPECT_FALSE(absent->moving());
  EXPECT_EQ(present->place.tier, 0);
  memory_.placed.blocks.Remove(present);
  Follow(2);
  EXPECT_TRUE(absent->moving());
  ExpectTotals(/*taken=*/1, /*ignored=*/0);
  hints_.End();
}

TEST_F(HintFollowerTest, IgnoresHintsForWhatIsInUseOrDeadAndLateOnes) {
  Block* used = MakeTensor(1, 2);
  Block* late = MakeTensor(2, 2);
  Begin();
  Follow(0);
  Answer({{.kernel = 1, .tensor = 2, .tier = 1},
          {.kernel = 100, .tensor = 1, .tier = 1},
          {.kernel = 100, .tensor = 4, .tier = 1}});
  memory_.placed.blocks.BeginUse(used);
  Follow(101);
  memory_.placed.blocks.EndUse(used);
  ExpectTotals(/*taken=*/0, /*ignored=*/3);
  EXPECT_EQ(used->place.tier, 0);
  EXPECT_EQ(late->place.tier, 0);
}

TEST_F(HintFollowerTest, HintsThatAreStillDueAtTheEndWereIgnored) {
  MakeTensor(1, 4, /*tier=*/1);
  memory_.Make(14);
  Begin();
  Follow(0);
  Answer({{.kernel = 1, .tensor = 1, .tier = 0}});
  Follow(1);
  hints_.End();
  ExpectTotals(/*taken=*/0, /*ignored=*/1);
  hints_.BeginStep();
  ExpectTotals(0, 0);
}

TEST_F(HintFollowerTest, AnotherKernelEndsTheGuidance) {
  Begin();
  RunningKernel other = KernelAt(0);
  other.key = 99;
  hints_.Follow(other);
  EXPECT_EQ(hints_.plan(), nullptr);
  EXPECT_EQ(segment_.situations_stated, 0u);
}

TEST_F(HintFollowerTest, AnotherAllocationEndsTheGuidance) {
  Begin();
  Block born{.size_bytes = 3 * kPage};
  EXPECT_FALSE(hints_.PlaceNew(KernelAt(0), &born));
  EXPECT_EQ(hints_.plan(), nullptr);
}

TEST_F(HintFollowerTest, ABirthIsNamedAndDemandModePlacesIt) {
  Begin();
  Block born{.size_bytes = 2 * kPage};
  EXPECT_FALSE(hints_.PlaceNew(KernelAt(0), &born));
  EXPECT_EQ(tensors_.at(5), &born);
  EXPECT_NE(hints_.plan(), nullptr);
}

TEST_F(MemoryHintFollowerTest, ATensorIsBornInSlowMemoryThatKernelsCanUse) {
  Begin();
  Follow(0);
  Answer({{.kernel = 1, .tensor = 5, .tier = 1}});
  Follow(1);
  Block born{.size_bytes = 2 * kPage};
  EXPECT_TRUE(hints_.PlaceNew(KernelAt(0), &born));
  EXPECT_EQ(born.place.tier, 1);
  ExpectTotals(/*taken=*/1, /*ignored=*/0);
}

TEST_F(HintFollowerTest, HintsThatNameNoTensorAreReported) {
  Begin();
  Follow(0);
  Answer({{.kernel = 1, .tensor = 1 << 20, .tier = 1}});
  Follow(1);
  EXPECT_EQ(segment_.report.process_events.written, 1u);
  ExpectTotals(0, 0);
}

}  // namespace
}  // namespace stowage::runtime
