#include "agents/arbitration/turn.h"

#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(TurnTest, TheCopyGoesFirstThatIsNeededFirst) {
  EXPECT_EQ(NextTurn({{.deadline_ns = 30}, {.deadline_ns = 10}, {20}}), 1);
}

TEST(TurnTest, ACopyThatSomebodyWaitsForGoesBeforeAllOthers) {
  EXPECT_EQ(NextTurn({{.deadline_ns = 10}, {.deadline_ns = 0}}), 1);
}

TEST(TurnTest, OfEqualDeadlinesTheJobGoesThatHasHadLess) {
  EXPECT_EQ(NextTurn({{.deadline_ns = 5, .ahead_bytes = 8},
                      {.deadline_ns = 5, .ahead_bytes = 7}}),
            1);
}

TEST(TurnTest, OfEqualCopiesTheOneGoesThatWaitedFirst) {
  EXPECT_EQ(NextTurn({{}, {}, {}}), 0);
}

TEST(TurnTest, AJobWaitsThatIsTooFarAheadHoweverSoonItsCopyIsNeeded) {
  EXPECT_EQ(NextTurn({{.deadline_ns = 0, .ahead_bytes = kMostAheadBytes + 1},
                      {.deadline_ns = 99, .ahead_bytes = 0}}),
            1);
  EXPECT_EQ(NextTurn({{.deadline_ns = 0, .ahead_bytes = kMostAheadBytes},
                      {.deadline_ns = 99, .ahead_bytes = 0}}),
            0);
}

TEST(TurnTest, WhereAllAreTooFarAheadTheLeastAheadGoes) {
  EXPECT_EQ(NextTurn({{.deadline_ns = 0, .ahead_bytes = kMostAheadBytes + 2},
                      {.deadline_ns = 9, .ahead_bytes = kMostAheadBytes + 1}}),
            1);
}

}  // namespace
}  // namespace stowage::agent
