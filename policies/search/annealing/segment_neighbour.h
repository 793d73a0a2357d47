// Finds stays in the fast tier that differ a little from given ones: a copy
// begins or is waited for at another boundary, a tensor leaves between two uses
// or stays, or is used in a slower tier or is not.
//
//   SegmentNeighbour neighbour(graph, /*slow_uses=*/true, input.streams);
//   std::optional<StayChange> change = neighbour.Change(random, stays);
//   if (change.has_value()) ...  // can be built, but for room
//
// Not thread-safe while it is aimed.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_SEGMENT_NEIGHBOUR_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_SEGMENT_NEIGHBOUR_H_

#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "policies/layout/layout_item.h"
#include "policies/model/graph.h"
#include "policies/planning/drops.h"
#include "policies/planning/plan_builder.h"
#include "policies/search/annealing/kernel_twins.h"

namespace stowage {

// Stays of each tensor, by begin.
using StaysByTensor = std::vector<std::vector<FastSegment>>;

struct StayChange {
  TensorIndex tensor = 0;
  std::vector<FastSegment> stays;
};

class SegmentNeighbour {
 public:
  // `slow_uses`: whether kernels can use a slower tier in place; then tensors
  // that `streams` name stay as they are, else kernels that they name may
  // stream any operand.
  SegmentNeighbour(const Graph& graph, bool slow_uses,
                   const std::vector<Stream>& streams);

  // From now on such a share of the changes is to an operand of a kernel that
  // is drawn by its share of `lost_ns`, of kernel `first` and those behind it,
  // what they take longer than they need.
  void Aim(KernelIndex first, const std::vector<int64_t>& lost_ns,
           double share);

  // Other stays for one tensor; `stays` are valid. Nullopt where the change
  // that was drawn is none.
  std::optional<StayChange> Change(std::mt19937_64& random,
                                   const StaysByTensor& stays) const;

  // Other stays for a tensor that holds room at `boundary` and no longer does,
  // nor, half of the time, anywhere within `span`, which contains it; most
  // often one that makes `excess_bytes` free. Nullopt where none was drawn.
  std::optional<StayChange> Evict(std::mt19937_64& random,
                                  const StaysByTensor& stays,
                                  KernelIndex boundary, const Span& span,
                                  int64_t excess_bytes) const;

  // Stays for tensor `t`, which has `own`, that at the stretch's kernels are
  // those that `twin`, which stands for it, has there. Nullopt where they
  // cannot be built.
  std::optional<StayChange> Imitate(const TwinStretch& stretch, TensorIndex t,
                                    const std::vector<FastSegment>& own,
                                    std::vector<FastSegment> twin) const;

 private:
  using Stays = std::vector<FastSegment>;

  struct Life {
    // Ascending.
    std::vector<KernelIndex> uses;
    std::vector<KernelIndex> writes;
    bool fixed = false;  // not to be changed
    // Alive as the step begins; else boundaries between which it lives.
    bool cyclic = false;
    KernelIndex begin = 0;
    KernelIndex end = 0;
    // Boundaries between which copies begin and end.
    KernelIndex first_copy = 0;
    KernelIndex last_copy = 0;
  };

  void IndexLives();
  // An operand of a kernel at which time is lost, and that kernel.
  std::optional<std::pair<TensorIndex, KernelIndex>> DrawLoser(
      std::mt19937_64& random) const;

  // Each changes stay `s` of a tensor, or returns false.
  bool ChangeStay(std::mt19937_64& random, const Life& life, Stays& stays,
                  size_t s) const;
  bool ChangeBegin(std::mt19937_64& random, const Life& life,
                   FastSegment& stay) const;
  bool ChangeReady(std::mt19937_64& random, const Life& life,
                   FastSegment& stay) const;
  bool ChangeLeave(std::mt19937_64& random, const Life& life,
                   FastSegment& stay) const;
  bool ChangeEnd(std::mt19937_64& random, const Life& life,
                 FastSegment& stay) const;
  bool Split(std::mt19937_64& random, const Life& life, Stays& stays,
             size_t s) const;
  bool JoinNext(Stays& stays, size_t s) const;
  bool Remove(Stays& stays, size_t s) const;
  // A new one, that covers use `first`, or several from there on.
  bool Insert(std::mt19937_64& random, TensorIndex t, Stays& stays,
              int first) const;

  // The change as it can be built, if it can.
  std::optional<StayChange> Finish(std::mt19937_64& random,
                                   StayChange change) const;

  // A stay that holds room at `boundary`: its tensor and index.
  std::optional<std::pair<TensorIndex, size_t>> DrawHolder(
      std::mt19937_64& random, const StaysByTensor& stays, KernelIndex boundary,
      int64_t excess_bytes) const;
  // Takes `span` out of stay `s`.
  void CutOut(std::mt19937_64& random, const Life& life, const Span& span,
              Stays& stays, size_t s) const;

  // Another boundary, most often near `now`, within the tensor's life.
  KernelIndex Draw(std::mt19937_64& random, const Life& life,
                   KernelIndex now) const;
  // Whether the stays of a tensor can be built.
  bool IsValid(const Life& life, const Stays& stays) const;
  bool IsValid(const Life& life, const FastSegment& stay) const;
  bool CoversUses(const Life& life, const Stays& stays) const;

  const KernelIndex kernels_;
  const bool slow_uses_;
  const bool may_leave_slow_;  // some tensors at some kernels
  const DropRule drops_;
  std::vector<bool> streams_at_;     // by kernel: any operand may be streamed
  std::vector<Life> lives_;          // by tensor
  std::vector<TensorIndex> usable_;  // that may be changed
  std::vector<std::vector<TensorIndex>> operands_;  // by kernel, of those
  // Of those, largest first: alive across the end of a step, and by boundary
  // the others.
  std::vector<TensorIndex> cyclic_;
  std::vector<std::vector<TensorIndex>> alive_;
  std::vector<double> bytes_;  // by tensor, of those
  KernelIndex first_aimed_ = 0;
  std::vector<int64_t> lost_before_ns_;  // sums of kernels from there on
  double aimed_share_ = 0;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_SEGMENT_NEIGHBOUR_H_
