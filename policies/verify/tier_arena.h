// Keeps what a tier's arena holds while the verifier executes a plan.
//
//   TierArena arena(limit_bytes, "over-limit");
//   absl::Status status =
//       arena.Take(tensor, offset, TakenBytes(bytes), boundary);
//   arena.Release(offset);
//
// Plain data, not thread-safe. It shares no code with what lays plans out.
#ifndef STOWAGE_POLICIES_VERIFY_TIER_ARENA_H_
#define STOWAGE_POLICIES_VERIFY_TIER_ARENA_H_

#include <cstdint>
#include <optional>

#include "absl/container/btree_map.h"
#include "absl/status/status.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Returns the room that a tensor takes. A small one leaves the rest of its page
// to others.
int64_t TakenBytes(int64_t size_bytes);

// Returns `bytes` >= 0, rounded up to whole pages.
int64_t TakenPagesBytes(int64_t bytes);

// Invariant: the places that are held do not overlap and lie within the arena.
class TierArena {
 public:
  // Makes an empty arena. `end_bytes` nullopt means unlimited. Running past the
  // end is called `end_violation`.
  TierArena(std::optional<int64_t> end_bytes, const char* end_violation)
      : end_bytes_(end_bytes), end_violation_(end_violation) {}

  // Takes a place for a tensor, or, if that is negative, for the window through
  // which a kernel streams. FAILED_PRECONDITION with a violation's name if it is not
  // free.
  absl::Status Take(TensorIndex tensor, int64_t offset, int64_t bytes,
                    KernelIndex boundary);

  void Release(int64_t offset) { held_.erase(offset); }

 private:
  struct Place {
    int64_t end = 0;
    TensorIndex tensor = 0;
  };

  absl::btree_map<int64_t, Place> held_;  // by offset
  std::optional<int64_t> end_bytes_;
  const char* end_violation_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_VERIFY_TIER_ARENA_H_
