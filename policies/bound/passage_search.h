// Finds what is cheapest for a tensor between two of its stops: to stay, to
// leave, to come, or to leave and return (docs/lower-bound.md).
//
//   PassageSearch search(slice, fast_ns);
//   search.Start(life, prices);
//   Passages found;
//   search.Find(0, {.from_fast = false}, found);  // between stops 0 and 1
//
// Room gets dearer with each slice in which it is held, and copies cheaper with
// each moment in which they may run. So the search looks at slices at which a
// copy gets cheaper, and ends where room alone costs more than what it found.
//
// Not thread-safe: a search uses the object's memory.
#ifndef STOWAGE_POLICIES_BOUND_PASSAGE_SEARCH_H_
#define STOWAGE_POLICIES_BOUND_PASSAGE_SEARCH_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "policies/bound/life_prices.h"
#include "policies/bound/tensor_life.h"
#include "policies/bound/tier_charges.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Describes what happens between two stops of a tensor.
struct LifePassage {
  double cost = std::numeric_limits<double>::infinity();
  // Unrolled slices. Room is held before `left` and from `fetched` on.
  int left = 0;
  int fetched = 0;
  LifeCopy out;
  LifeCopy in;
};

// Holds the cheapest passages of each kind.
struct Passages {
  LifePassage away;       // slow all the time
  LifePassage staying;    // fast all the time; infinite where it does not fit
  LifePassage fetching;   // slow, then fetched
  LifePassage leaving;    // fast, then slow
  LifePassage returning;  // fast, then slow, then fetched
  LifePassage keeping;    // fetched: staying or, from the kept place, fetching
};

// Says which states of a tensor matter at the stop before a passage.
struct WantedPassages {
  bool from_slow = true;
  bool from_fast = true;  // other than fetched
};

class PassageSearch {
 public:
  // `slice` says by unrolled kernel which unrolled slice it is in, and
  // `fast_ns` by moment what kernels take at most when all operands are fast.
  // Both have to outlive the search.
  PassageSearch(const std::vector<int>& slice,
                const std::vector<double>& fast_ns);

  // Begins with a tensor. Both arguments have to outlive the calls of Find.
  void Start(const TensorLife& life, const LifePrices& prices);

  // Finds the passages between `stop` and the next one that `wanted` names; the
  // others may cost too much. Stops have to come in their order.
  void Find(size_t stop, const WantedPassages& wanted, Passages& found);

  // Returns the kernel of the next stop, or the one behind the end of life.
  static KernelIndex NextKernel(const TensorLife& life, size_t stop);

 private:
  // Says between which slices a tensor may be away.
  struct Window {
    int first = 0;
    int last = 0;
    int leave_by = 0;
    int fetch_from = 0;
  };

  Window WindowOf(size_t stop) const;
  void FollowWrites(size_t stop);
  void FindLeaving(const Window& window);
  const LifePassage& LeavingBy(int slice) const;
  void Fetch(const Window& window, int begin, int end, LifeCopy in,
             Passages& found) const;
  int FindFetching(const Window& window, Passages& found);
  LifeCopy BegunBefore(int moment, int last);

  const std::vector<int>& slice_;
  const TensorLife* life_ = nullptr;
  const LifePrices* prices_ = nullptr;
  // The first moment at which copies may begin after the last write, as of the
  // stop in hand, and what those out cost.
  int written_ = 0;
  TierCharges written_out_;
  TierCharges out_;
  TierCharges in_;
  // Ways to leave: each later and cheaper than the one before.
  std::vector<LifePassage> leaving_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_PASSAGE_SEARCH_H_
