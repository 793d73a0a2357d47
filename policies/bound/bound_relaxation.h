// Evaluates what the lower bound maximises: the least that a step can take when
// room and the lanes have prices (docs/lower-bound.md).
//
//   BoundRelaxation relaxation(graph, system, fast_limit_bytes, fast_ns,
//                              /*priced=*/80, /*blocks=*/16);
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
#include "policies/bound/lane_couplings.h"
#include "policies/bound/life_search.h"
#include "policies/bound/room_measures.h"
#include "policies/bound/tensor_life.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/kernel_room.h"

namespace stowage::policies {

// Holds prices of room and of lanes. Room has a price for each way to measure
// it: in bytes, and in the counts that room_measures.h explains. Lanes go by 2
// x (slower tier - 1), in after out. The next lane stands for all copies of
// tensors of which one is in the fast tier at a time, and the others for pairs
// of lanes that slow each other.
struct BoundPrices {
  std::vector<double> room;               // by priced kernel, by measure
  std::vector<std::vector<double>> lane;  // by block, by lane; sums <= 1
  // By slice, by lane: prices of copies beyond the time that kernels take with
  // all operands fast.
  std::vector<std::vector<double>> over;

  // Returns the share of a moment in a block that is left for kernels.
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
  // `fast_ns` is MostFastKernelNs of the graph, or of the graph that it
  // relaxes. MakeBoundTimeline explains `priced` and `blocks`.
  BoundRelaxation(const Graph& graph, const MemorySystem& system,
                  int64_t fast_limit_bytes, const std::vector<double>& fast_ns,
                  int priced, int blocks);
  BoundRelaxation(const BoundRelaxation&) = delete;

  BoundPrices ZeroPrices() const;

  // Returns the prices that `coarser`, a relaxation of the same problem with
  // fewer prices, has at `prices`. The bound there is about the same here.
  BoundPrices PricesOf(const BoundRelaxation& coarser,
                       const BoundPrices& prices) const;

  // Returns about what each room is worth: the cost of copying so much out and
  // in.
  std::vector<double> RoomScales() const;

  // Returns the bound at `prices`, and which prices to raise.
  BoundValue Evaluate(const BoundPrices& prices);

  // Returns whether every kernel has room for what it needs. If not, there is
  // no plan.
  bool HasRoom() const;

  // Returns what an evaluation takes: the slices between stops, of all tensors.
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
  // Returns what an ns of a copy on a lane pays in moments of these prices.
  double LanePrice(const std::vector<double>& prices, int lane, bool big) const;
  void SpreadRoom(size_t size, std::vector<double>& before) const;
  void LookAt(size_t life);
  // Returns whether two such tensors are never in the fast tier together.
  bool IsBig(const TensorLife& life) const {
    return 2 * life.bytes > static_cast<double>(room_.limit_bytes);
  }
  void Hold(int begin, int end, bool is_fixed);
  void AddRoom();

  void AddLife(const TensorLife& life);
  void AddHeld(const TensorLife& life);
  void AddStop(const LifeStop& stop, bool fast);
  void AddCopy(const TensorLife& life, CopyDirection direction,
               const LifeCopy& copy);

  const std::vector<double> least_ns_;
  const BoundTimeline timeline_;
  const KernelRoom room_;
  const std::vector<TensorLife> lives_;
  const int lanes_;
  const std::vector<LaneCoupling> couplings_;
  const RoomMeasures measures_;
  const BoundPrices* prices_ = nullptr;
  LifeSearch search_;
  LifePrices spread_;
  // By whether a tensor is big.
  std::vector<MomentPrices> spread_lane_[2];
  // For a tensor of each counted size.
  std::vector<std::vector<double>> size_before_;
  int size_ = -1;  // of the life in hand
  // By slice: what is held from there on more than before, in bytes and, by
  // counted size, in tensors.
  std::vector<double> held_bytes_;
  std::vector<std::vector<double>> held_count_;
  BoundValue value_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_BOUND_BOUND_RELAXATION_H_
