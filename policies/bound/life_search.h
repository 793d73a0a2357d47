// Finds the cheapest life of a tensor when room and lanes have prices: where it
// is at each of its stops, and which copies bring it there
// (docs/lower-bound.md).
//
//   LifeSearch search(timeline, fast_ns);
//   const CheapestLife& found = search.Find(life, prices);
//
// Not thread-safe: a search uses the object's memory.
#ifndef STOWAGE_POLICIES_BOUND_LIFE_SEARCH_H_
#define STOWAGE_POLICIES_BOUND_LIFE_SEARCH_H_

#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "policies/bound/bound_timeline.h"
#include "policies/bound/life_prices.h"
#include "policies/bound/passage_search.h"
#include "policies/bound/tensor_life.h"
#include "policies/bound/tier_charges.h"
#include "policies/model/graph.h"

namespace stowage::policies {

struct CheapestLife {
  double cost = 0;
  std::vector<bool> fast;             // by stop
  std::vector<LifePassage> passages;  // by stop: behind it
};

// Charges time of a copy to a moment.
struct LaneCharge {
  int moment = 0;
  double ns = 0;
  bool is_over = false;
};

class LifeSearch {
 public:
  // `fast_ns` says what each kernel and the host's time before it take at most
  // when all operands are fast.
  LifeSearch(const BoundTimeline& timeline, const std::vector<double>& fast_ns);

  // Finds the cheapest life of a movable tensor. The result is valid until the
  // next call.
  const CheapestLife& Find(const TensorLife& life, const LifePrices& prices);

  // Returns the moments to which `copy`, which takes `copy_ns`, is charged.
  // Valid until the next call.
  const std::vector<LaneCharge>& Charges(const LifeCopy& copy,
                                         CopyDirection direction,
                                         double copy_ns,
                                         const LifePrices& prices);

  // Returns by moment what kernels take at most when all operands are fast.
  const std::vector<double>& fast_ns() const { return fast_ns_; }

  // Returns the slice of an unrolled kernel, itself unrolled.
  int Slice(KernelIndex k) const { return slice_[k]; }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  // Says where a tensor is: in a slower tier, in the fast one, or there since
  // it was fetched and not written since, so that it leaves for free.
  enum State { kSlow, kFast, kFetched };
  static constexpr State kAllStates[] = {kSlow, kFast, kFetched};
  static constexpr int kStates = 3;

  // A kind of passage, and the state before and after it.
  struct Transition {
    State before, after;
    LifePassage Passages::*passage;
  };
  static constexpr Transition kTransitions[] = {
      {kSlow, kSlow, &Passages::away},
      {kSlow, kFetched, &Passages::fetching},
      {kFast, kSlow, &Passages::leaving},
      {kFast, kFast, &Passages::staying},
      {kFast, kFetched, &Passages::returning},
      {kFetched, kSlow, &Passages::away},
      {kFetched, kFetched, &Passages::keeping}};

  // The cheapest life from a given beginning.
  struct Way {
    double cost = 0;
    std::array<double, kStates> at;   // cost by state, at the stop in hand
    State last = kSlow;               // at the last stop
    const Transition* end = nullptr;  // behind it, unless the life is cyclic
    // By stop and state, the cheapest way there from the stop before.
    std::vector<const Transition*> through;
  };

  double StopCost(const TensorLife& life, size_t stop, bool fast) const;
  void Begin(const TensorLife& life, State first, Way& way) const;
  WantedPassages Wanted() const;
  void Follow(const TensorLife& life, size_t stop);
  void Follow(const TensorLife& life, size_t stop, double slow, double fast,
              Way& way) const;
  void End(const TensorLife& life, State first, Way& way) const;
  void Trace(const TensorLife& life, const Way& way);

  std::vector<int> slice_;       // by unrolled kernel
  std::vector<double> fast_ns_;  // by moment
  PassageSearch passage_search_;
  const LifePrices* prices_ = nullptr;
  std::vector<Passages> passages_;  // by stop
  Way slow_, fast_;
  CheapestLife found_;
  std::vector<LaneCharge> lane_charges_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LIFE_SEARCH_H_
