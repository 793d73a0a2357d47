// Keeps bytes held at every boundary of a step. Adding over a range and finding
// the highest in a range both take logarithmic time.
//
//   Occupancy occupancy(std::vector<int64_t>(9, 0));
//   occupancy.Add(3, 9, 4096);               // boundaries 3 .. 8
//   int64_t bytes = occupancy.Highest(0, 9);
//
// Not thread-safe.
#ifndef STOWAGE_POLICIES_SEARCH_ABSENCES_OCCUPANCY_H_
#define STOWAGE_POLICIES_SEARCH_ABSENCES_OCCUPANCY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/model/graph.h"

namespace stowage::policies {

class Occupancy {
 public:
  // Begins with `bytes`, by boundary.
  explicit Occupancy(const std::vector<int64_t>& bytes);

  // Adds `bytes`. Ranges are unrolled over two steps, as in inactive_period.h:
  // a part behind the end of the step counts from its beginning. An empty range
  // adds nothing.
  void Add(KernelIndex begin, KernelIndex end, int64_t bytes);
  // Returns the highest value in the range; 0 for an empty range.
  int64_t Highest(KernelIndex begin, KernelIndex end) const;
  int64_t At(KernelIndex boundary) const;

  // Return the highest value of all boundaries, and one boundary that has it.
  int64_t Highest() const { return highest_[1]; }
  KernelIndex HighestBoundary() const;

 private:
  void Update(size_t node);
  void AddWithin(KernelIndex begin, KernelIndex end, int64_t bytes);
  int64_t HighestWithin(KernelIndex begin, KernelIndex end) const;

  KernelIndex count_;
  // A segment tree; boundary b is leaf b + 1. Invariant: highest_[n] is the
  // highest of the children of n plus added_[n]. Node 0 takes values that
  // nobody reads.
  size_t leaves_ = 4;
  std::vector<int64_t> added_;
  std::vector<int64_t> highest_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ABSENCES_OCCUPANCY_H_
