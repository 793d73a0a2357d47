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

#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "policies/bound/bound_timeline.h"
#include "policies/bound/copy_charge.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/graph.h"

namespace stowage::policies {

// Says what a lane costs in a moment: one price for as long as its kernel takes
// at most when all operands are fast, a higher one beyond.
struct LanePrice {
  double price = 0;
  double fast_ns = 0;
  double over_price = 0;
};

// Holds the prices of two steps. Moment 2 s is the waiting before unrolled
// slice s; in moment 2 s + 1 the kernels of s run.
struct LifePrices {
  // By lane, by moment; for the tensor in hand.
  const std::vector<std::vector<LanePrice>>* lane = nullptr;
  std::vector<double> kernel;       // by slice: the price of its kernels' time
  std::vector<double> over_kernel;  // by slice: the price of all lanes
  std::vector<double> byte_before;  // sums of the prices of room
  // What the tensor in hand pays for room.
  const std::vector<double>* room_before = nullptr;
  double room_factor = 1;
  double bytes = 0;

  double Room(int begin, int end) const {
    return ((*room_before)[end] - (*room_before)[begin]) * room_factor;
  }
};

// Describes a copy to or from tier `slower` + 1 in some of the moments `begin`
// to `end`.
struct LifeCopy {
  double cost = std::numeric_limits<double>::infinity();  // none
  int begin = 0;
  int end = 0;
  int slower = 0;
};

// Describes what happens between two stops of a tensor.
struct LifePassage {
  double cost = std::numeric_limits<double>::infinity();
  // Unrolled slices. Room is held before `left` and from `fetched` on.
  int left = 0;
  int fetched = 0;
  LifeCopy out;
  LifeCopy in;
};

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
  const std::vector<LaneCharge>& Charges(const LifeCopy& copy, int direction,
                                         double copy_ns,
                                         const LifePrices& prices);

  // Returns by moment what kernels take at most when all operands are fast.
  const std::vector<double>& fast_ns() const { return fast_ns_; }

  // Returns the slice of an unrolled kernel, itself unrolled.
  int Slice(KernelIndex k) const { return slice_[k]; }
  // Returns the kernel of the next stop, or the one behind the end of life.
  static KernelIndex NextKernel(const TensorLife& life, size_t stop);
  static int Lane(const LifeCopy& copy, int direction) {
    return 2 * copy.slower + direction;
  }

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  // Says where a tensor is: in a slower tier, in the fast one, or there since
  // it was fetched and not written since, so that it leaves for free.
  enum State { kSlow, kFast, kFetched };
  static constexpr State kAllStates[] = {kSlow, kFast, kFetched};
  static constexpr int kStates = 3;

  // Passages by state before and after.
  struct Passages {
    LifePassage at[kStates][kStates];
  };

  // Charges for a copy in one direction, by slower tier.
  using TierCharges = std::vector<CopyCharge>;

  void Start(const std::vector<double>& ns, TierCharges& charges) const;
  void Add(int direction, int moment, TierCharges& charges) const;
  static bool AreFree(const TierCharges& charges);
  static LifeCopy Cheapest(const TierCharges& charges, int begin, int end);
  void FollowWrites(const TensorLife& life, size_t stop);
  LifeCopy BegunBefore(const TensorLife& life, int last) const;
  int FindFetches(const TensorLife& life, int first, int last);
  Passages Pass(const TensorLife& life, size_t stop);
  double StopCost(const TensorLife& life, size_t stop, bool fast) const;
  double Solve(const TensorLife& life, State first);
  void Trace(const TensorLife& life, double cost);

  std::vector<int> slice_;       // by unrolled kernel
  std::vector<double> fast_ns_;  // by moment
  const LifePrices* prices_ = nullptr;
  // The first moment at which copies may begin after the last write, as of the
  // stop in hand, and what those out cost.
  int written_ = 0;
  TierCharges written_out_;
  TierCharges charges_;
  std::vector<LifeCopy> fetches_;   // from the last slice backward
  std::vector<Passages> passages_;  // by stop
  // By stop and state, the cheapest way there: the state at the stop before,
  // and the state after the passage between, which a write may make stale.
  std::vector<std::pair<State, State>> through_;
  State last_ = kSlow;
  State after_ = kSlow;
  CheapestLife found_;
  std::vector<LaneCharge> lane_charges_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_LIFE_SEARCH_H_
