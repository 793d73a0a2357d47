// What the lower bound maximises: the least that a step can take when room and
// the lanes have prices (docs/lower-bound.md).
//
//   BoundRelaxation relaxation(graph, system, fast_limit_bytes, 80, 16);
//   BoundPrices prices = relaxation.ZeroPrices();
//   BoundValue value = relaxation.Evaluate(prices);
//   // no plan takes less than value.bound_ns; value.ascent says which prices
//   // to raise
//
// Not thread-safe: an evaluation uses the object's memory.
#ifndef STOWAGE_POLICIES_BOUND_BOUND_RELAXATION_H_
#define STOWAGE_POLICIES_BOUND_BOUND_RELAXATION_H_

#include <cstdint>
#include <vector>

#include "policies/bound/bound_timeline.h"
#include "policies/bound/life_search.h"
#include "policies/bound/room_measures.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/kernel_room.h"

namespace stowage::policies {

// Room has a price for each measure of it: in bytes, and in the counts that are
// explained in room_measures.h. Lanes go by 2 x (slower tier - 1), in after
// out; behind them one for all copies of tensors of which one is in the fast
// tier at a time.
struct BoundPrices {
  std::vector<double> room;               // by priced kernel, by measure
  std::vector<std::vector<double>> lane;  // by block, by lane; sums <= 1
  // By slice, by lane: of copies beyond what kernels take with all operands
  // fast.
  std::vector<std::vector<double>> over;

  // What is left for kernels in a block.
  double kernel(int block) const {
    double share = 1;
    for (const double price : lane[block]) share -= price;
    return share;
  }
};

struct BoundValue {
  double bound_ns = 0;
  BoundPrices ascent;  // a supergradient
};

class BoundRelaxation {
 public:
  // `fast_ns`: MostFastKernelNs of the graph, or of the one that it relaxes.
  // `priced` and `blocks`: see MakeBoundTimeline.
  BoundRelaxation(const Graph& graph, const MemorySystem& system,
                  int64_t fast_limit_bytes, const std::vector<double>& fast_ns,
                  int priced, int blocks);
  BoundRelaxation(const BoundRelaxation&) = delete;

  BoundPrices ZeroPrices() const;

  // What the price of each room is about: that of copying so much out and in.
  std::vector<double> RoomScales() const;

  BoundValue Evaluate(const BoundPrices& prices);

  // What an evaluation takes: slices between stops, of all tensors.
  int64_t Work() const;

 private:
  int slices() const { return static_cast<int>(timeline_.block.size()); }
  int BlockOf(int slice) const { return timeline_.block[slice % slices()]; }
  int BlockAt(int moment) const {
    return moment % 2 == 1 ? BlockOf(moment / 2)
                           : timeline_.wait_block[moment / 2 % slices()];
  }
  double NsPerByte() const;
  void SpreadPrices();
  void SpreadLanes();
  void SpreadRoom(size_t size, std::vector<double>& before) const;
  void LookAt(size_t life);
  // Two of them are never in the fast tier together.
  bool IsBig(const TensorLife& life) const {
    return 2 * life.bytes > static_cast<double>(room_.limit_bytes);
  }
  void Hold(int begin, int end, bool is_fixed);

  void AddLife(const TensorLife& life);
  void AddHeld(const TensorLife& life);
  void AddStop(const LifeStop& stop, bool fast);
  void AddCopy(const TensorLife& life, int direction, const LifeCopy& copy);

  const std::vector<double> least_ns_;
  const BoundTimeline timeline_;
  const KernelRoom room_;
  const std::vector<TensorLife> lives_;
  const int lanes_;
  const RoomMeasures measures_;
  const BoundPrices* prices_ = nullptr;
  LifeSearch search_;
  LifePrices spread_;
  // By whether a tensor is one of which one is fast at a time.
  std::vector<std::vector<LanePrice>> spread_lane_[2];
  // For a tensor of each counted size.
  std::vector<std::vector<double>> size_before_;
  int size_ = -1;  // of the life that is looked at
  BoundValue value_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_BOUND_RELAXATION_H_
