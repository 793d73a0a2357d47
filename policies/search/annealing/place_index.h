// Indexes what is held of the fast arena, in time and address, and finds what
// is in the way of a residency.
//
//   PlaceIndex index(graph.kernel_count());
//   index.Hold({.tensor = 3, .begin = 4, .end = 9, .end_bytes = 8192});
//   std::vector<Holding> obstacles = index.Always();
//   index.FindObstacles(5, 7, /*most=*/100, obstacles);
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_PLACE_INDEX_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_PLACE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

// Describes room that is held at boundaries begin .. end-1, bytes offset ..
// end-1.
struct Holding {
  TensorIndex tensor = 0;  // negative: several, that are there all the time
  KernelIndex begin = 0;
  KernelIndex end = 0;
  int64_t offset_bytes = 0;
  int64_t end_bytes = 0;
};

class PlaceIndex {
 public:
  explicit PlaceIndex(KernelIndex kernel_count);

  // Adds a holding, or removes one. A tensor holds no two that begin at one
  // boundary. O(log kernels) lists change.
  void Hold(const Holding& holding);
  void Release(const Holding& holding);

  // Returns the room that is held all the time, by offset; adjoining parts
  // count as one.
  const std::vector<Holding>& Always();

  // Adds to `obstacles` the others that are held at some of the boundaries
  // begin .. end-1, some of them twice, until there are more than `most`.
  void FindObstacles(KernelIndex begin, KernelIndex end, size_t most,
                     std::vector<Holding>& obstacles) const;

 private:
  bool IsAlways(const Holding& holding) const {
    return holding.begin == 0 && holding.end == kernels_ + 1;
  }
  template <typename Visit>
  void VisitNodes(const Holding& holding, Visit visit);

  const KernelIndex kernels_;
  // A segment tree (Bentley, 1977): node n spans the boundaries of nodes 2n and
  // 2n + 1, the last `leaves_` ones a few boundaries each. A holding is listed
  // at the fewest nodes that span it.
  int leaves_ = 1;
  std::vector<std::vector<Holding>> nodes_;
  std::vector<Holding> residents_;  // held all the time, by offset
  std::vector<Holding> always_;     // what they cover together
  bool always_is_old_ = false;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_PLACE_INDEX_H_
