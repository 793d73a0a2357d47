#include "agents/engine/move_order.h"

#include <algorithm>
#include <limits>

#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

// Returns whether no sum of two offsets or sizes of the order overflows.
bool Joinable(const MoveOrder& order) {
  constexpr int64_t kMostOffset = std::numeric_limits<int64_t>::max() / 2;
  const auto whole_pages = [](int64_t bytes) {
    return bytes >= 0 && bytes < kMostOffset &&
           bytes % session::kPageBytes == 0;
  };
  return order.from_tier != order.to_tier &&
         whole_pages(order.from_offset_bytes) &&
         whole_pages(order.to_offset_bytes) && whole_pages(order.size_bytes) &&
         order.size_bytes > 0 && order.size_bytes < kJoinedBytes;
}

}  // namespace

std::optional<MoveOrder> Join(const MoveOrder& first, const MoveOrder& second) {
  if (!Joinable(first) || !Joinable(second)) return std::nullopt;
  if (first.from_tier != second.from_tier || first.to_tier != second.to_tier) {
    return std::nullopt;
  }
  if (first.from_offset_bytes + first.size_bytes != second.from_offset_bytes ||
      first.to_offset_bytes + first.size_bytes != second.to_offset_bytes) {
    return std::nullopt;
  }
  MoveOrder both = first;
  both.size_bytes += second.size_bytes;
  both.deadline_ns = std::min(first.deadline_ns, second.deadline_ns);
  return both;
}

}  // namespace stowage::agent
