#include "client_sdk/runtime/placing/plan_moves.h"

#include <errno.h>

#include <optional>

#include "client_sdk/session/clock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/planned_memory.h"

namespace stowage::runtime {
namespace {

class PlanMovesTest : public testing::Test {
 protected:
  PlanMovesTest()
      : tensors_(&memory_.placed.blocks),
        strangers_(&memory_.placed.blocks, &memory_.placed.mover,
                   &memory_.placed.evictor, &tensors_),
        moves_(&memory_.placed.blocks, &memory_.placed.mover, &tensors_,
               &strangers_) {}

  Block* MakeTensor(int32_t tensor, int tier = session::kFastTier) {
    return memory_.MakeTensor(&tensors_, tensor, /*pages=*/2, tier);
  }
  // Adds a move of two pages.
  void AddMove(int32_t tensor, int32_t from_tier, int32_t start,
               int32_t deadline, uint32_t flags = 0, int64_t to_page = 0) {
    memory_.AddMove({.tensor = tensor,
                     .from_tier = from_tier,
                     .to_tier = 1 - from_tier,
                     .start_kernel = start,
                     .deadline_kernel = deadline,
                     .flags = flags,
                     .to_offset_bytes = to_page * kPage,
                     .size_bytes = 2 * kPage});
  }
  void Begin(int64_t begin_pages = 0) {
    moves_.Begin(memory_.plan(), begin_pages * kPage);
  }
  void ExpectPasses(int32_t kernel) {
    EXPECT_FALSE(moves_.Pass(kernel).has_value());
  }
  void ExpectSurprise(SurpriseReason reason, int32_t kernel) {
    const std::optional<Surprise> surprise = moves_.Pass(kernel);
    ASSERT_TRUE(surprise.has_value());
    EXPECT_EQ(surprise->reason, reason);
    EXPECT_EQ(surprise->kernel, kernel);
  }

  PlannedMemory memory_;
  PlanTensors tensors_;
  PlanStrangers strangers_;
  PlanMoves moves_;
};

TEST_F(PlanMovesTest, AMoveIsUnderWayFromItsStartToItsDeadline) {
  Block* block = MakeTensor(0);
  AddMove(0, /*from_tier=*/0, /*start=*/1, /*deadline=*/3);
  Begin();
  ExpectPasses(0);
  EXPECT_FALSE(block->moving());
  ExpectPasses(1);
  EXPECT_TRUE(block->moving());
  ExpectPasses(2);
  EXPECT_TRUE(block->moving());
  EXPECT_EQ(block->place.tier, 0);
  ExpectPasses(3);
  EXPECT_FALSE(block->moving());
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_TRUE(memory_.placed.Holds(*block, 'a'));
}

TEST_F(PlanMovesTest, AMoveIsNeededOnceTheKernelsBeforeItsDeadlineHaveRun) {
  constexpr int64_t kSecondNs = 1'000'000'000;
  Block* block = MakeTensor(0);
  AddMove(0, /*from_tier=*/0, /*start=*/1, /*deadline=*/3);
  memory_.plan().boundaries_ns = {0, 1 * kSecondNs, 3 * kSecondNs,
                                  7 * kSecondNs};
  Begin();
  const int64_t begin_ns = session::NowNs();
  ExpectPasses(1);
  const int64_t left_ns = block->move->deadline_ns - 6 * kSecondNs;
  EXPECT_GE(left_ns, begin_ns);
  EXPECT_LE(left_ns, session::NowNs());
}

TEST_F(PlanMovesTest, AMoveThatIsDueAtItsStartHasArrivedAfterIt) {
  Block* block = MakeTensor(0);
  AddMove(0, /*from_tier=*/0, /*start=*/1, /*deadline=*/1);
  Begin();
  ExpectPasses(1);
  EXPECT_EQ(block->place.tier, 1);
}

TEST_F(PlanMovesTest, ATensorComesToItsPlaceAboveWhereThePlanBegins) {
  Block* block = MakeTensor(0, /*tier=*/1);
  AddMove(0, /*from_tier=*/1, 0, 0, /*flags=*/0, /*to_page=*/5);
  Begin(/*begin_pages=*/3);
  ExpectPasses(0);
  EXPECT_EQ(block->place, (Place{session::kFastTier, 8 * kPage}));
}

TEST_F(PlanMovesTest, ATensorFetchedWithItsSourceKeptIsDroppedWithoutACopy) {
  Block* block = MakeTensor(0, /*tier=*/1);
  const Place source = block->place;
  AddMove(0, /*from_tier=*/1, 0, 0, session::kMoveKeepsSource);
  AddMove(0, /*from_tier=*/0, 1, 1, session::kMoveIsDrop);
  Begin();
  ExpectPasses(0);
  EXPECT_EQ(block->kept, source);
  const int64_t executed = memory_.placed.agent.moves_executed();
  ExpectPasses(1);
  EXPECT_EQ(block->place, source);
  EXPECT_EQ(memory_.placed.agent.moves_executed(), executed);
}

TEST_F(PlanMovesTest, ADropOfATensorThatWasWrittenIsACopy) {
  Block* block = MakeTensor(0, /*tier=*/1);
  AddMove(0, /*from_tier=*/1, 0, 0, session::kMoveKeepsSource);
  AddMove(0, /*from_tier=*/0, 1, 1, session::kMoveIsDrop);
  Begin();
  ExpectPasses(0);
  memory_.placed.blocks.NoteWrite({block, session::kOperandWrite});
  const int64_t executed = memory_.placed.agent.moves_executed();
  ExpectPasses(1);
  EXPECT_EQ(block->place.tier, 1);
  EXPECT_EQ(memory_.placed.agent.moves_executed(), executed + 1);
}

TEST_F(PlanMovesTest, ATensorThatIsGoneIsLeftOut) {
  MakeTensor(0);
  AddMove(/*tensor=*/3, /*from_tier=*/0, 0, 2);
  Begin();
  ExpectPasses(0);
  ExpectPasses(2);
}

TEST_F(PlanMovesTest, ATensorThatLeftBeforeNeedsNoMove) {
  Block* block = MakeTensor(0, /*tier=*/1);
  AddMove(0, /*from_tier=*/0, 0, 0);
  Begin();
  ExpectPasses(0);
  EXPECT_EQ(block->place.tier, 1);
}

TEST_F(PlanMovesTest, ATensorInUseCannotLeave) {
  Block* block = MakeTensor(0);
  AddMove(0, /*from_tier=*/0, 0, 0);
  Begin();
  memory_.placed.blocks.BeginUse(block);
  ExpectSurprise(SurpriseReason::kMoveImpossible, 0);
  memory_.placed.blocks.EndUse(block);
}

TEST_F(PlanMovesTest, ATensorThatIsInUseWhenItsMoveIsDueIsNoFaultOfTheTiers) {
  Block* block = MakeTensor(0);
  AddMove(0, /*from_tier=*/0, /*start=*/0, /*deadline=*/2);
  Begin();
  ExpectPasses(0);
  memory_.placed.blocks.BeginUse(block);
  ExpectSurprise(SurpriseReason::kMoveImpossible, 2);
  EXPECT_EQ(block->place.tier, session::kFastTier);
  memory_.placed.blocks.EndUse(block);
}

TEST_F(PlanMovesTest, ACopyThatFailsIsASurpriseWhenItIsDue) {
  Block* awaited = MakeTensor(0);
  Block* early = MakeTensor(1);
  AddMove(1, /*from_tier=*/0, /*start=*/0, /*deadline=*/2);
  AddMove(0, /*from_tier=*/0, /*start=*/1, /*deadline=*/1);
  memory_.placed.agent.FailMovesWith(EIO);
  Begin();
  ExpectPasses(0);
  ExpectSurprise(SurpriseReason::kMoveFailed, 1);
  ExpectSurprise(SurpriseReason::kMoveFailed, 2);
  EXPECT_EQ(awaited->place.tier, session::kFastTier);
  EXPECT_EQ(early->place.tier, session::kFastTier);
}

TEST_F(PlanMovesTest, WhereAPlanTakesOverMovesThatAreOverAreLeftOut) {
  Block* over = MakeTensor(0);
  Block* under_way = MakeTensor(1);
  AddMove(0, /*from_tier=*/0, /*start=*/0, /*deadline=*/2);
  AddMove(1, /*from_tier=*/0, /*start=*/1, /*deadline=*/3);
  moves_.Begin(memory_.plan(), /*plan_begin_bytes=*/0, /*boundary=*/2);
  ExpectPasses(2);
  EXPECT_FALSE(over->moving());
  EXPECT_TRUE(under_way->moving());
  ExpectPasses(3);
  EXPECT_EQ(over->place.tier, session::kFastTier);
  EXPECT_EQ(under_way->place.tier, 1);
}

TEST_F(PlanMovesTest, SettlingEndsWhatIsUnderWay) {
  Block* first = MakeTensor(0);
  Block* second = MakeTensor(1);
  AddMove(0, /*from_tier=*/0, 0, 5);
  AddMove(1, /*from_tier=*/0, 0, 6);
  Begin();
  ExpectPasses(0);
  moves_.Settle();
  EXPECT_FALSE(first->moving());
  EXPECT_FALSE(second->moving());
  EXPECT_EQ(first->place.tier, 1);
  EXPECT_EQ(second->place.tier, 1);
}

}  // namespace
}  // namespace stowage::runtime
