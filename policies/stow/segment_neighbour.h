// Finds stays in the fast tier that differ a little from given ones: a copy
// begins or is waited for at another boundary, a tensor leaves between two uses
// or stays, or is used in a slower tier or is not.
//
//   SegmentNeighbour neighbour(graph, /*slow_uses=*/true, input.streams);
//   std::vector<FastSegment> other = input.segments;
//   if (neighbour.Change(random, other)) ...  // can be built, but for room
//
// Not thread-safe while it is aimed.
#ifndef STOWAGE_POLICIES_STOW_SEGMENT_NEIGHBOUR_H_
#define STOWAGE_POLICIES_STOW_SEGMENT_NEIGHBOUR_H_

#include <cstdint>
#include <random>
#include <vector>

#include "policies/model/graph.h"
#include "policies/planning/plan_builder.h"

namespace stowage {

class SegmentNeighbour {
 public:
  // `slow_uses`: whether kernels can use a slower tier in place. Tensors that
  // `streams` name stay as they are.
  SegmentNeighbour(const Graph& graph, bool slow_uses,
                   const std::vector<Stream>& streams);

  // From now on every second change is to an operand of a kernel that is drawn
  // by its share of `lost_ns`, by kernel, what it takes longer than it need.
  void Aim(const std::vector<int64_t>& lost_ns);

  // `segments`: by (tensor, begin), and valid. False, with `segments` in any
  // state, where the change that was drawn is none.
  bool Change(std::mt19937_64& random,
              std::vector<FastSegment>& segments) const;

 private:
  using Segments = std::vector<FastSegment>;

  struct Life {
    // Ascending.
    std::vector<KernelIndex> uses;
    std::vector<KernelIndex> writes;
    bool fixed = false;  // not to be changed
    // Alive as the step begins; else boundaries between which it lives.
    bool cyclic = false;
    KernelIndex begin = 0;
    KernelIndex end = 0;
  };

  // Each changes segment `s`, or returns false.
  bool ChangeBegin(std::mt19937_64& random, Segments& segments, size_t s) const;
  bool ChangeReady(std::mt19937_64& random, Segments& segments, size_t s) const;
  bool ChangeLeave(std::mt19937_64& random, Segments& segments, size_t s) const;
  bool ChangeEnd(std::mt19937_64& random, Segments& segments, size_t s) const;
  bool Split(std::mt19937_64& random, Segments& segments, size_t s) const;
  bool JoinNext(Segments& segments, size_t s) const;
  bool Remove(Segments& segments, size_t s) const;
  bool Insert(std::mt19937_64& random, Segments& segments, TensorIndex t,
              int first) const;
  bool ChangeSegment(std::mt19937_64& random, Segments& segments,
                     size_t s) const;
  // Of an operand where time is lost.
  bool ChangeAimed(std::mt19937_64& random, Segments& segments) const;

  // Another boundary, most often near `now`, within the tensor's life.
  KernelIndex Draw(std::mt19937_64& random, const Life& life,
                   KernelIndex now) const;
  // Whether the stays of a tensor can be built.
  bool IsValid(const Segments& segments, TensorIndex t) const;
  bool IsValid(const Life& life, const FastSegment& segment) const;
  bool CoversUses(const Segments& segments, size_t first, size_t last,
                  const Life& life) const;

  const KernelIndex kernels_;
  const bool slow_uses_;
  std::vector<Life> lives_;                         // by tensor
  std::vector<TensorIndex> usable_;                 // that may be changed
  std::vector<std::vector<TensorIndex>> operands_;  // by kernel, of those
  std::vector<int64_t> lost_before_ns_;             // by kernel, K + 1 sums
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_STOW_SEGMENT_NEIGHBOUR_H_
