// Knows which transfers are under way, and lets threads wait for one without the
// owner's mutex.
//
//   TransferSlots slots;
//   const TransferTicket ticket = slots.Begin();       // with the mutex
//   slots.Await(ticket, [&] { return Reap(); });       // without it
//
// One thread at a time leads: it waits for the device, takes note of all that is
// over, and wakes those who wait for it. When its own transfer is over, the next
// one leads.
//
// Only system calls and fixed arrays: safe in a handler of a synchronous fault.
// The owner's mutex guards Begin(); all others are thread-safe.
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TRANSFER_SLOTS_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TRANSFER_SLOTS_H_

#include <array>
#include <atomic>
#include <cstdint>

#include "client_sdk/runtime/process/long_wait.h"
#include "client_sdk/session/clock.h"
#include "client_sdk/session/futex.h"

namespace stowage::runtime {

// Names a transfer. A transfer without a slot is over.
struct TransferTicket {
  int32_t slot = -1;
  uint32_t number = 0;
};

class TransferSlots {
 public:
  // So many transfers at most are under way.
  static constexpr int kSlots = 256;

  // Begins a transfer. Returns no slot if none is free.
  TransferTicket Begin();
  // Notes that the transfer in the slot is over.
  void End(int slot) { ++numbers_[slot]; }
  bool IsOver(TransferTicket ticket) const {
    return ticket.slot < 0 || numbers_[ticket.slot] != ticket.number;
  }

  // Waits until the transfer is over. `reap` waits for the device, calls End()
  // and returns true, or false if nothing may end any more; then this returns.
  template <typename Reap>
  void Await(TransferTicket ticket, Reap reap);

  // Begins to lead, if no thread does, and returns whether it does now.
  bool TryLead() { return !led_.exchange(true); }
  // Begins to lead; waits for the thread that does.
  void Lead();
  // Ends it.
  void LetGo();
  // Wakes those who wait for the slots of these bits. For who leads.
  void Wake(uint32_t slot_bits);

  static uint32_t BitOf(int slot) { return 1u << (slot % 32); }

 private:
  // Somebody who waits looks again after it, whatever happens.
  static constexpr int64_t kPatienceNs = 1'000'000'000;

  void HandOn();

  // Odd: under way.
  std::array<std::atomic<uint32_t>, kSlots> numbers_{};
  int next_ = 0;
  std::atomic<bool> led_ = false;
  std::atomic<uint32_t> bell_ = 0;
  std::atomic<int> waiting_ = 0;  // threads that do not lead
};

// Counts itself as waiting before it sees that another thread leads: that one
// wakes somebody when it no longer does.
template <typename Reap>
void TransferSlots::Await(TransferTicket ticket, Reap reap) {
  LongWait long_wait("the disk to read or write a tensor in slow memory");
  bool may_end = true;
  while (may_end && !IsOver(ticket)) {
    const uint32_t seen = bell_;
    ++waiting_;
    if (TryLead()) {
      --waiting_;
      while (may_end && !IsOver(ticket)) {
        may_end = reap();
        long_wait.Look(session::NowNs());
      }
      led_ = false;
    } else {
      if (!IsOver(ticket)) {
        session::FutexWaitFor(bell_, seen, BitOf(ticket.slot), kPatienceNs);
      }
      --waiting_;
      long_wait.Look(session::NowNs());
    }
    HandOn();
  }
}

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_BLOCKS_TRANSFER_SLOTS_H_
