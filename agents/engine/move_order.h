// What a move asks for, and which moves are one copy.
//
//   std::optional<MoveOrder> both = Join(first, second);
//   if (both.has_value()) Copy(*both);
#ifndef STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_
#define STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_

#include <cstdint>
#include <optional>

namespace stowage::agent {

// A copy of what a session::MoveRequest asks for: no longer shared.
struct MoveOrder {
  int32_t from_tier = 0;
  int32_t to_tier = 0;
  int64_t from_offset_bytes = 0;
  int64_t to_offset_bytes = 0;
  int64_t size_bytes = 0;
};

// Copies this large gain nothing from being larger, and whoever waits for the
// first bytes of a joined copy waits for all of it.
inline constexpr int64_t kJoinedBytes = 8 << 20;

// DeepTM III-C2: one order for both when `second` goes on where `first` ends,
// in the source and in the destination, and each of them is below kJoinedBytes.
// Orders come from the job: any values. An order that makes no sense by itself
// is never part of another one.
std::optional<MoveOrder> Join(const MoveOrder& first, const MoveOrder& second);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_ENGINE_MOVE_ORDER_H_
