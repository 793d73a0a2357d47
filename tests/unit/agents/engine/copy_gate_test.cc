#include "agents/engine/copy_gate.h"

#include <optional>
#include <thread>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace stowage::agent {
namespace {

TEST(CopyGateTest, MakesOneWriterTooManyWait) {
  CopyGate gate(/*readers=*/4, /*writers=*/2);
  absl::Notification entered;
  std::thread third;
  {
    const CopyGate::Pass first = gate.Enter(CopyGate::kWrite);
    const CopyGate::Pass second = gate.Enter(CopyGate::kWrite);
    third = std::thread([&] {
      const CopyGate::Pass pass = gate.Enter(CopyGate::kWrite);
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
  const CopyGate::Pass writing = gate.Enter(CopyGate::kWrite);
  const CopyGate::Pass reading = gate.Enter(CopyGate::kRead);
}

TEST(CopyGateTest, GivesAsManyPlacesAsAreWantedAndFree) {
  CopyGate gate(/*readers=*/16, /*writers=*/8);
  const CopyGate::Pass first = gate.Enter(CopyGate::kWrite, 5);
  EXPECT_EQ(first.places(), 5);
  {
    const CopyGate::Pass second = gate.Enter(CopyGate::kWrite, 5);
    EXPECT_EQ(second.places(), 3);
  }
  EXPECT_EQ(gate.Enter(CopyGate::kWrite, 2).places(), 2);
  EXPECT_EQ(gate.Enter(CopyGate::kRead, 99).places(), 16);
}

TEST(CopyGateTest, HasAtLeastOnePlaceEach) {
  CopyGate gate(/*readers=*/0, /*writers=*/-3);
  const CopyGate::Pass writing = gate.Enter(CopyGate::kWrite);
  const CopyGate::Pass reading = gate.Enter(CopyGate::kRead);
}

}  // namespace
}  // namespace stowage::agent
