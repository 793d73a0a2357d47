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
#include "policies/planning/tensor_life.h"

namespace stowage {

// Lanes go by 2 x (slower tier - 1), in after out.
struct BoundPrices {
  std::vector<double> room;               // by priced kernel, per byte
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

  // What a byte of room is about worth: a copy out and in of it.
  double NsPerByte() const;

  BoundValue Evaluate(const BoundPrices& prices);

  // What an evaluation takes: segments between stops, of all tensors.
  int64_t Work() const;

 private:
  static constexpr double kInfinite = std::numeric_limits<double>::infinity();

  // A copy within an unrolled segment to or from tier `slower` + 1.
  struct Copy {
    double cost = kInfinite;
    int segment = 0;
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
  double RoomCost(int begin, int end, double bytes) const {
    return (room_before_[end] - room_before_[begin]) * bytes;
  }
  void SpreadPrices();
  void Hold(int begin, int end, double bytes);

  void Improve(const std::vector<double>& ns, int direction, int segment,
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
  std::vector<double> fillable_bytes_;  // by priced kernel
  const BoundPrices* prices_ = nullptr;
  // By unrolled segment, two steps: the sum of the room's prices before it, and
  // the lanes' prices.
  std::vector<double> room_before_;
  std::vector<std::vector<double>> lane_;
  BoundValue value_;
  std::vector<Passages> passages_;  // by stop
  std::vector<Copy> fetches_;       // by segment, cost with room
  std::vector<int> before_;
  bool fast_at_last_ = false;
  bool fast_after_ = false;
};

}  // namespace stowage

#endif  // STOWAGE_POLICIES_PLANNING_BOUND_RELAXATION_H_
