// Keeps how many bytes of the fast tier are held at each boundary of a step,
// and says what may be held in addition.
//
//   FastRoom room(graph.kernel_count() + 1, budget_bytes);
//   if (room.Fits(begin, end, bytes)) room.Hold(begin, end, bytes);
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_INTERVALS_FAST_ROOM_H_
#define STOWAGE_POLICIES_INTERVALS_FAST_ROOM_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

class FastRoom {
 public:
  FastRoom(KernelIndex boundaries, int64_t budget_bytes)
      : held_(boundaries), reserved_(boundaries), budget_bytes_(budget_bytes) {}

  // Returns whether `bytes` more fit at boundaries begin .. end-1. Ranges are
  // so here and below.
  bool Fits(KernelIndex begin, KernelIndex end, int64_t bytes) const {
    for (KernelIndex b = begin; b < end; ++b) {
      if (!FitsAt(b, bytes)) return false;
    }
    return true;
  }

  // Returns the first boundary from `begin` on at which `bytes` do not fit, or
  // `end`.
  KernelIndex FitsUntil(KernelIndex begin, KernelIndex end,
                        int64_t bytes) const {
    while (begin < end && FitsAt(begin, bytes)) ++begin;
    return begin;
  }

  // Returns the first boundary, not before `begin`, from which on `bytes` fit
  // up to `end`.
  KernelIndex FitsFrom(KernelIndex begin, KernelIndex end,
                       int64_t bytes) const {
    while (end > begin && FitsAt(end - 1, bytes)) --end;
    return end;
  }

  void Hold(KernelIndex begin, KernelIndex end, int64_t bytes) {
    for (KernelIndex b = begin; b < end; ++b) held_[b] += bytes;
  }

  // Sets `bytes` aside at a boundary, besides what is held there.
  void Reserve(KernelIndex boundary, int64_t bytes) {
    reserved_[boundary] = bytes;
  }

  int64_t held_bytes(KernelIndex boundary) const { return held_[boundary]; }

 private:
  bool FitsAt(KernelIndex boundary, int64_t bytes) const {
    return held_[boundary] + reserved_[boundary] + bytes <= budget_bytes_;
  }

  std::vector<int64_t> held_;
  std::vector<int64_t> reserved_;
  int64_t budget_bytes_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_FAST_ROOM_H_
