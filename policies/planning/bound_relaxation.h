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
#ifndef STOWAGE_POLICIES_PLANNING_BOUND_RELAXATION_H_
#define STOWAGE_POLICIES_PLANNING_BOUND_RELAXATION_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/bound_timeline.h"
#include "policies/planning/kernel_room.h"
#include "policies/planning/room_measures.h"
#include "policies/planning/tensor_life.h"

namespace stowage {

// Room has a price for each measure of it: in bytes, and in the counts that are
// explained in room_measures.h. Lanes go by 2 x (slower tier - 1), in after
// out.
struct BoundPrices {
  std::vector<double> room;               // by priced kernel, by measure
  std::vector<std::vector<double>> lane;  // by block, by lane; sums <= 1

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
  // `priced` and `blocks`: see MakeBoundTimeline.
  BoundRelaxation(const Graph& graph, const MemorySystem& system,
                  int64_t fast_limit_bytes, int priced, int blocks);

  BoundPrices ZeroPrices() const;

  // What the price of each room is about: that of copying so much out and in.
  std::vector<double> RoomScales() const;

  BoundValue Evaluate(const BoundPrices& prices);

  // What an evaluation takes: segments between stops, of all tensors.
  int64_t Work() const;

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  // A copy to or from tier `slower` + 1. Its moment is 2 s in the waiting before
  // unrolled segment s, 2 s + 1 while the kernels of s run.
  struct Copy {
    double cost = kInfinite;
    int moment = 0;
    int slower = 0;
  };

  // What happens between two stops of a tensor.
  struct Passage {
    double cost = kInfinite;
    // Unrolled segments; room is held before `left` and from `fetched` on.
    int left = 0;
    int fetched = 0;
    Copy out;  // cost is infinite where there is none
    Copy in;
  };

  // By whether the tensor is fast before and after.
  struct Passages {
    Passage at[2][2];
  };

  int segments() const { return static_cast<int>(timeline_.block.size()); }
  int Segment(KernelIndex k) const;
  int BlockOf(int segment) const {
    return timeline_.block[segment % segments()];
  }
  int BlockAt(int moment) const {
    return moment % 2 == 1 ? BlockOf(moment / 2)
                           : timeline_.wait_block[moment / 2 % segments()];
  }
  // Of the tensor whose life is looked at.
  double RoomCost(int begin, int end) const {
    return ((*room_before_)[end] - (*room_before_)[begin]) * room_factor_;
  }
  double NsPerByte() const;
  void SpreadPrices();
  void SpreadRoom(size_t size, std::vector<double>& before) const;
  void LookAt(size_t life);
  void Hold(int begin, int end, bool is_fixed);

  void Improve(const std::vector<double>& ns, int direction, int moment,
               Copy& best) const;
  Passages Pass(const TensorLife& life, size_t stop);
  void FindFetches(const TensorLife& life, int first, int last);
  KernelIndex NextKernel(const TensorLife& life, size_t stop) const;
  double StopCost(const TensorLife& life, size_t stop, bool fast) const;
  double Solve(const TensorLife& life, bool fast_at_first);
  void AddLife(const TensorLife& life);
  void AddHeld(const TensorLife& life);
  void Trace(const TensorLife& life);
  void AddStop(const TensorLife& life, size_t stop, bool fast);
  void AddPassage(const TensorLife& life, size_t stop, const Passage& passage);
  void AddCopy(const std::vector<double>& ns, int direction, const Copy& copy);

  const KernelIndex step_;
  const std::vector<double> least_ns_;
  const BoundTimeline timeline_;
  const KernelRoom room_;
  const std::vector<TensorLife> lives_;
  const int lanes_;
  const RoomMeasures measures_;
  const BoundPrices* prices_ = nullptr;
  // Of two steps: the prices of lanes by moment; the sums of the room's prices
  // before each segment, for a byte and for a tensor of each counted size.
  std::vector<std::vector<double>> lane_;
  std::vector<double> byte_before_;
  std::vector<std::vector<double>> size_before_;
  // Of the life that is looked at.
  const std::vector<double>* room_before_ = nullptr;
  double room_factor_ = 1;
  double bytes_ = 0;
  int size_ = -1;
  BoundValue value_;
  std::vector<Passages> passages_;  // by stop
  std::vector<Copy> fetches_;       // by segment, cost with room
  std::vector<int> before_;
  bool fast_at_last_ = false;
  bool fast_after_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_PLANNING_BOUND_RELAXATION_H_
