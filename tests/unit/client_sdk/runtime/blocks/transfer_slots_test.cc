#include "client_sdk/runtime/blocks/transfer_slots.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace stowage::runtime {
namespace {

TEST(TransferSlotsTest, ATransferIsUnderWayUntilItsSlotEnds) {
  TransferSlots slots;
  const TransferTicket first = slots.Begin();
  const TransferTicket second = slots.Begin();
  EXPECT_FALSE(slots.IsOver(first));
  slots.End(first.slot);
  EXPECT_TRUE(slots.IsOver(first));
  EXPECT_FALSE(slots.IsOver(second));
}

TEST(TransferSlotsTest, AnOldTicketIsOverThoughItsSlotIsTakenAgain) {
  TransferSlots slots;
  const TransferTicket old = slots.Begin();
  slots.End(old.slot);
  for (int i = 0; i < TransferSlots::kSlots; ++i) slots.Begin();
  EXPECT_TRUE(slots.IsOver(old));
}

TEST(TransferSlotsTest, GivesNoSlotWhenAllAreTaken) {
  TransferSlots slots;
  for (int i = 0; i < TransferSlots::kSlots; ++i) {
    EXPECT_GE(slots.Begin().slot, 0);
  }
  const TransferTicket none = slots.Begin();
  EXPECT_LT(none.slot, 0);
  EXPECT_TRUE(slots.IsOver(none));
}

TEST(TransferSlotsTest, ReturnsWhenNothingCanEndAnyMore) {
  TransferSlots slots;
  const TransferTicket ticket = slots.Begin();
  slots.Await(ticket, [] { return false; });
  EXPECT_FALSE(slots.IsOver(ticket));
}

// Ends the transfers of a device in another order than that of their beginning.
class FakeDevice {
 public:
  void Begin(int slot) {
    const std::lock_guard lock(mutex_);
    slots_.push_front(slot);
    arrived_.notify_one();
  }
  int Next() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !slots_.empty(); });
    const int slot = slots_[slots_.size() / 2];
    slots_.erase(slots_.begin() + static_cast<int64_t>(slots_.size() / 2));
    return slot;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<int> slots_;
};

TEST(TransferSlotsTest, EachThreadLearnsOfItsTransferThoughOneLeads) {
  constexpr int kThreads = 6, kRounds = 2000;
  TransferSlots slots;
  FakeDevice device;
  std::mutex owner;
  const auto reap = [&] {
    const int slot = device.Next();
    slots.End(slot);
    slots.Wake(TransferSlots::BitOf(slot));
    return true;
  };
  const auto run = [&] {
    for (int round = 0; round < kRounds; ++round) {
      owner.lock();
      const TransferTicket ticket = slots.Begin();
      owner.unlock();
      device.Begin(ticket.slot);
      slots.Await(ticket, reap);
      ASSERT_TRUE(slots.IsOver(ticket));
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(run);
  for (std::thread& thread : threads) thread.join();
}

TEST(TransferSlotsTest, WhoWaitsLeadsOnceNobodyElseDoes) {
  TransferSlots slots;
  const TransferTicket ticket = slots.Begin();
  slots.Lead();
  EXPECT_FALSE(slots.TryLead());
  std::thread waits([&] {
    slots.Await(ticket, [&] {
      slots.End(ticket.slot);
      return true;
    });
  });
  slots.LetGo();
  waits.join();
  EXPECT_TRUE(slots.IsOver(ticket));
}

}  // namespace
}  // namespace stowage::runtime
