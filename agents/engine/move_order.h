// Says what a move asks for, and which moves become one copy.
//
//   std::optional<MoveOrder> both = Join(first, second);
//   if (both.has_value()) Copy(*both);
#ifndef STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_
#define STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_

#include <cstdint>
#include <optional>

namespace stowage::agent {

// Holds a private copy of a session::MoveRequest, which the job can no longer
// change.
struct MoveOrder {
  int32_t from_tier = 0;
  int32_t to_tier = 0;
  int64_t from_offset_bytes = 0;
  int64_t to_offset_bytes = 0;
  int64_t size_bytes = 0;
  int64_t deadline_ns = 0;  // as session::MoveRequest has it
};

// Copies of this size gain nothing from being larger, and a job that waits for
// the first bytes of a joined copy waits for all of it.
inline constexpr int64_t kJoinedBytes = 8 << 20;

// Returns one order for both when `second` continues where `first` ends, in the
// source and in the destination, and each is below kJoinedBytes (DeepTM
// III-C2); nullopt otherwise. Orders come from the job and may hold any values.
// An order that makes no sense by itself never becomes part of another. Both are
// needed when the first of them is.
std::optional<MoveOrder> Join(const MoveOrder& first, const MoveOrder& second);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_
