#include "client_sdk/runtime/blocks/transfer_slots.h"

#include <climits>

namespace stowage::runtime {
namespace {

constexpr uint32_t kAllSlots = ~0u;

}  // namespace

TransferTicket TransferSlots::Begin() {
  for (int tries = 0; tries < kSlots; ++tries) {
    const int slot = next_;
    next_ = (next_ + 1) % kSlots;
    if (numbers_[slot] % 2 == 0) return {slot, ++numbers_[slot]};
  }
  return {};
}

void TransferSlots::Lead() {
  ++waiting_;
  for (uint32_t seen = bell_; !TryLead(); seen = bell_) {
    session::FutexWaitFor(bell_, seen, kAllSlots, kPatienceNs);
  }
  --waiting_;
}

void TransferSlots::LetGo() {
  led_ = false;
  HandOn();
}

void TransferSlots::Wake(uint32_t slot_bits) {
  if (waiting_ == 0) return;
  ++bell_;
  session::FutexWake(bell_, INT_MAX, slot_bits);
}

// Wakes one who can lead, if nobody does.
void TransferSlots::HandOn() {
  if (waiting_ == 0 || led_) return;
  ++bell_;
  session::FutexWake(bell_, 1, kAllSlots);
}

}  // namespace stowage::runtime
