#include "agents/tiers/arena.h"

#include <cerrno>
#include <cstdlib>

#include "client_sdk/runtime/session.h"

namespace stowage::agent {
namespace {

bool Inside(const Arena& arena, int64_t offset_bytes, int64_t size_bytes) {
  if (offset_bytes < 0 || size_bytes <= 0) return false;
  if (offset_bytes % session::kPageBytes != 0) return false;
  if (size_bytes % session::kPageBytes != 0) return false;
  // Written so that no sum can overflow.
  return size_bytes <= arena.capacity_bytes() &&
         offset_bytes <= arena.capacity_bytes() - size_bytes;
}

}  // namespace

int CopyBetween(Arena& from, int64_t from_offset_bytes, Arena& to,
                int64_t to_offset_bytes, int64_t size_bytes) {
  if (!Inside(from, from_offset_bytes, size_bytes)) return EINVAL;
  if (!Inside(to, to_offset_bytes, size_bytes)) return EINVAL;
  if (&from == &to &&
      std::abs(from_offset_bytes - to_offset_bytes) < size_bytes) {
    return EINVAL;
  }
  const auto size = static_cast<size_t>(size_bytes);
  if (from.mapped() != nullptr) {
    return to.Write(to_offset_bytes, {from.mapped() + from_offset_bytes, size});
  }
  if (to.mapped() != nullptr) {
    return from.Read(from_offset_bytes, {to.mapped() + to_offset_bytes, size});
  }
  return EINVAL;
}

}  // namespace stowage::agent
