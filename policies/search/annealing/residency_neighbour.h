// Finds residencies in the fast tier that differ a little from given ones: a
// copy begins or is waited for at another boundary, a tensor leaves between two
// uses or stays, or is used in a slower tier or is not.
//
//   ResidencyNeighbour neighbour(graph, /*slow_uses=*/true, input.streams);
//   std::optional<ResidencyChange> change =
//       neighbour.Change(random, residencies);
//   if (change.has_value()) Try(*change);  // can be built, but for room
//
// Not thread-safe while it is aimed.
#ifndef STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_NEIGHBOUR_H_
#define STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_NEIGHBOUR_H_

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

namespace stowage::policies {

// Residencies of each tensor, by begin.
using ResidenciesByTensor = std::vector<std::vector<Residency>>;

struct ResidencyChange {
  TensorIndex tensor = 0;
  std::vector<Residency> residencies;
};

class ResidencyNeighbour {
 public:
  // If kernels can use a slower tier in place (`slow_uses`), tensors that
  // `streams` name stay as they are; otherwise kernels that they name may
  // stream any operand.
  ResidencyNeighbour(const Graph& graph, bool slow_uses,
                     const std::vector<Stream>& streams);

  // Aims: from now on such a share of the changes goes to an operand of a
  // kernel that is drawn by its share of `lost_ns`. That is how much longer
  // kernel `first` and those behind it take than they need.
  void Aim(KernelIndex first, const std::vector<int64_t>& lost_ns,
           double share);

  // Draws other residencies for one tensor; `residencies` are valid. Nullopt if
  // the change that was drawn is none.
  std::optional<ResidencyChange> Change(
      std::mt19937_64& random, const ResidenciesByTensor& residencies) const;

  // Draws other residencies for a tensor that holds room at `boundary` and no
  // longer does, nor, half of the time, anywhere within `span`, which contains
  // it; most often one that makes `excess_bytes` free. Nullopt if none was
  // drawn.
  std::optional<ResidencyChange> Evict(std::mt19937_64& random,
                                       const ResidenciesByTensor& residencies,
                                       KernelIndex boundary, const Span& span,
                                       int64_t excess_bytes) const;

  // Returns residencies for tensor `t`, which has `own`, that at the stretch's
  // kernels are those that `twin`, which stands for it, has there. Nullopt if
  // they cannot be built.
  std::optional<ResidencyChange> Imitate(const TwinStretch& stretch,
                                         TensorIndex t,
                                         const std::vector<Residency>& own,
                                         std::vector<Residency> twin) const;

 private:
  using Residencies = std::vector<Residency>;

  struct Lifetime {
    // Ascending.
    std::vector<KernelIndex> uses;
    std::vector<KernelIndex> writes;
    bool fixed = false;  // not to be changed
    // Whether it is alive as the step begins; else the boundaries between which
    // it lives.
    bool cyclic = false;
    KernelIndex begin = 0;
    KernelIndex end = 0;
    // The boundaries between which copies begin and end.
    KernelIndex first_copy = 0;
    KernelIndex last_copy = 0;
  };

  void IndexLives();
  // Draws an operand of a kernel at which time is lost, and that kernel.
  std::optional<std::pair<TensorIndex, KernelIndex>> DrawLoser(
      std::mt19937_64& random) const;

  // Change residency `s` of a tensor, or return false.
  bool ChangeResidency(std::mt19937_64& random, const Lifetime& life,
                       Residencies& residencies, size_t s) const;
  bool ChangeBegin(std::mt19937_64& random, const Lifetime& life,
                   Residency& residency) const;
  bool ChangeReady(std::mt19937_64& random, const Lifetime& life,
                   Residency& residency) const;
  bool ChangeLeave(std::mt19937_64& random, const Lifetime& life,
                   Residency& residency) const;
  bool ChangeEnd(std::mt19937_64& random, const Lifetime& life,
                 Residency& residency) const;
  bool Split(std::mt19937_64& random, const Lifetime& life,
             Residencies& residencies, size_t s) const;
  bool JoinNext(Residencies& residencies, size_t s) const;
  bool Remove(Residencies& residencies, size_t s) const;
  // Inserts a residency that covers use `first`, or several from there on.
  bool Insert(std::mt19937_64& random, TensorIndex t, Residencies& residencies,
              int first) const;

  // Returns the change as it can be built, if it can.
  std::optional<ResidencyChange> Finish(std::mt19937_64& random,
                                        ResidencyChange change) const;

  // Draws a residency that holds room at `boundary`: its tensor and index.
  std::optional<std::pair<TensorIndex, size_t>> DrawHolder(
      std::mt19937_64& random, const ResidenciesByTensor& residencies,
      KernelIndex boundary, int64_t excess_bytes) const;
  // Takes `span` out of residency `s`.
  void CutOut(std::mt19937_64& random, const Lifetime& life, const Span& span,
              Residencies& residencies, size_t s) const;

  // Draws another boundary, most often near `now`, within the tensor's life.
  KernelIndex Draw(std::mt19937_64& random, const Lifetime& life,
                   KernelIndex now) const;
  // Returns whether the residencies of a tensor can be built.
  bool IsValid(const Lifetime& life, const Residencies& residencies) const;
  bool IsValid(const Lifetime& life, const Residency& residency) const;
  bool CoversUses(const Lifetime& life, const Residencies& residencies) const;

  const KernelIndex kernels_;
  const bool slow_uses_;
  const bool may_leave_slow_;  // some tensors at some kernels
  const DropRule drops_;
  std::vector<bool> streams_at_;     // by kernel: any operand may be streamed
  std::vector<Lifetime> lives_;      // by tensor
  std::vector<TensorIndex> usable_;  // that may be changed
  std::vector<std::vector<TensorIndex>> operands_;  // by kernel, of those
  // Usable tensors, largest first: those alive across the end of a step, and by
  // boundary the others.
  std::vector<TensorIndex> cyclic_;
  std::vector<std::vector<TensorIndex>> alive_;
  std::vector<double> bytes_;  // by tensor, of those
  KernelIndex first_aimed_ = 0;
  std::vector<int64_t> lost_before_ns_;  // sums of kernels from there on
  double aimed_share_ = 0;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SEARCH_ANNEALING_RESIDENCY_NEIGHBOUR_H_
