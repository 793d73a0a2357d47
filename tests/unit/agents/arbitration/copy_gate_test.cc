#include "agents/arbitration/copy_gate.h"

#include <memory>
#include <thread>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

using ::testing::ElementsAre;

constexpr char kJobs[2] = {};
constexpr Turn kTurn = {.job = &kJobs[0]};

TEST(CopyGateTest, MakesOneWriterTooManyWait) {
  CopyGate gate(/*readers=*/4, /*writers=*/2);
  absl::Notification entered;
  std::thread third;
  {
    const CopyGate::Pass first = gate.Enter(CopyGate::kWrite, kTurn);
    const CopyGate::Pass second = gate.Enter(CopyGate::kWrite, kTurn);
    third = std::thread([&] {
      const CopyGate::Pass pass = gate.Enter(CopyGate::kWrite, kTurn);
      entered.Notify();
    });
    EXPECT_FALSE(
        entered.WaitForNotificationWithTimeout(absl::Milliseconds(50)));
  }
  entered.WaitForNotification();
  third.join();
}

TEST(CopyGateTest, DoesNotMakeReadersWaitForWriters) {
  CopyGate gate(/*readers=*/1, /*writers=*/1);
  const CopyGate::Pass writing = gate.Enter(CopyGate::kWrite, kTurn);
  const CopyGate::Pass reading = gate.Enter(CopyGate::kRead, kTurn);
}

TEST(CopyGateTest, GivesAsManyPlacesAsAreWantedAndFree) {
  CopyGate gate(/*readers=*/16, /*writers=*/8);
  const CopyGate::Pass first = gate.Enter(CopyGate::kWrite, kTurn, 5);
  EXPECT_EQ(first.places(), 5);
  {
    const CopyGate::Pass second = gate.Enter(CopyGate::kWrite, kTurn, 5);
    EXPECT_EQ(second.places(), 3);
  }
  EXPECT_EQ(gate.Enter(CopyGate::kWrite, kTurn, 2).places(), 2);
  EXPECT_EQ(gate.Enter(CopyGate::kRead, kTurn, 99).places(), 16);
}

TEST(CopyGateTest, HasAtLeastOnePlaceEach) {
  CopyGate gate(/*readers=*/0, /*writers=*/-3);
  const CopyGate::Pass writing = gate.Enter(CopyGate::kWrite, kTurn);
  const CopyGate::Pass reading = gate.Enter(CopyGate::kRead, kTurn);
}

// Has copies wait for a gate whose only writer is at work, and notes the order in
// which they are made, by their deadlines.
class CopyGateOrderTest : public testing::Test {
 protected:
  void Wait(const Turn& turn) {
    threads_.emplace_back([this, turn] {
      const CopyGate::Pass pass = gate_.Enter(CopyGate::kWrite, turn);
      made_.push_back(turn.deadline_ns);  // one copy at a time
    });
    while (gate_.WaitingCopies(CopyGate::kWrite) < threads_.size()) {
      std::this_thread::yield();
    }
  }

  std::vector<int64_t> MadeOnceTheWriterIsDone() {
    writer_.reset();
    for (std::thread& thread : threads_) thread.join();
    return made_;
  }

  CopyGate gate_{/*readers=*/1, /*writers=*/1};
  std::unique_ptr<CopyGate::Pass> writer_{
      new CopyGate::Pass(gate_.Enter(CopyGate::kWrite, kTurn))};
  std::vector<std::thread> threads_;
  std::vector<int64_t> made_;
};

TEST_F(CopyGateOrderTest, CopiesAreMadeInTheOrderOfTheirDeadlines) {
  Wait({.job = &kJobs[0], .deadline_ns = 30, .bytes = 1});
  Wait({.job = &kJobs[1], .deadline_ns = 10, .bytes = 1});
  Wait({.job = &kJobs[1], .deadline_ns = 20, .bytes = 1});
  EXPECT_THAT(MadeOnceTheWriterIsDone(), ElementsAre(10, 20, 30));
}

TEST_F(CopyGateOrderTest, AJobThatAlwaysHurriesGetsNoMoreThanItsShare) {
  constexpr int64_t kPiece = kMostAheadBytes / 2;
  for (int i = 0; i < 6; ++i) {
    Wait({.job = &kJobs[0], .deadline_ns = 1, .bytes = kPiece});
  }
  for (int i = 0; i < 3; ++i) {
    Wait({.job = &kJobs[1], .deadline_ns = 9, .bytes = kPiece});
  }
  EXPECT_THAT(MadeOnceTheWriterIsDone(),
              ElementsAre(1, 1, 1, 9, 1, 9, 1, 9, 1));
}

}  // namespace
}  // namespace stowage::agent
