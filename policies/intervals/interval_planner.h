// Decides which tensors are in the fast tier when, migration interval by
// migration interval. The migration rules of Sentinel and ReDL share it.
//
//   IntervalPlanner planner(graph, system, workload, layers, length,
//                           {.stage_all = true}, kernel_ns, budget_bytes);
//   IntervalOutcome outcome = planner.Plan();
//
// Short-lived tensors get their room before all others. At the start of an
// interval the tensors that the next one uses are fetched; tensors that an
// interval does not use any more leave. Copies queue on one lane for each
// direction, so a fetch begins when its turn comes and there is room for it.
#ifndef STOWAGE_POLICIES_INTERVALS_INTERVAL_PLANNER_H_
#define STOWAGE_POLICIES_INTERVALS_INTERVAL_PLANNER_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/container/btree_set.h"
#include "policies/intervals/fast_room.h"
#include "policies/intervals/interval_clock.h"
#include "policies/intervals/layers.h"
#include "policies/intervals/visit.h"
#include "policies/model/memory_system.h"
#include "policies/planning/plan_builder.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct IntervalRules {
  // Kernels find all their operands fast. An operand for which there is no room
  // ahead of its kernel is copied just before it.
  bool stage_all = false;
  // By tensor: whether a long-lived tensor is born slow; the others are born
  // fast where there is room. With stage_all, all of them are born fast.
  std::vector<bool> born_slow;
  // Tensors leave when neither their interval nor the next one uses them any
  // more (Sentinel); otherwise they leave when room is needed, those that live
  // for the fewest layers first (ReDL).
  bool evict_idle = true;
  // Fetches for an interval are queued in the order of use (ReDL); otherwise
  // the most accessed tensors come first (Sentinel).
  bool nearest_first = false;
  // By interval: tensors whose copies would not be complete as it starts stay
  // slow, instead of being waited for. It has no effect with stage_all.
  // Intervals past the end of the vector wait.
  std::vector<bool> leave_late;
};

struct IntervalOutcome {
  std::vector<Residency> residencies;  // by (tensor, begin)
  // The intervals whose fetches lacked time though not room (Sentinel's Case
  // 3).
  std::set<int32_t> late;
  // How many fetches and births lacked room (Case 2).
  int64_t crowded = 0;
  // How many short-lived tensors found no room and were treated as long-lived.
  int64_t homeless = 0;
};

// Not thread-safe; for one call of Plan. It keeps references to its arguments.
class IntervalPlanner {
 public:
  // `length` is the number of layers in an interval, >= 1. `kernel_ns` says how
  // long each kernel takes with its gap when nothing is waited for.
  IntervalPlanner(const Graph& graph, const MemorySystem& system,
                  const Workload& workload, const Layers& layers,
                  LayerIndex length, const IntervalRules& rules,
                  const std::vector<int64_t>& kernel_ns, int64_t budget_bytes);

  // Decides the step. Returns nothing once the workload's plan is cancelled.
  IntervalOutcome Plan();

 private:
  // Describes the residency in the fast tier that serves one use; parallel to
  // UseTable::uses.
  struct UseResidency {
    bool placed = false;
    KernelIndex begin = 0;
    KernelIndex ready = 0;
    KernelIndex leave = 0;
    KernelIndex end = 0;
    bool moved_in = false;
    bool moved_out = false;
    bool joined = false;  // it lasts until the next use
  };

  // Says when a copy out has to be complete at the latest.
  struct Limit {
    KernelIndex boundary = 0;
    bool dies = false;
    KernelIndex death_boundary = 0;  // the residency ends here without a copy
    bool may_stay = false;           // the next step finds it in the fast tier
  };

  void PrepareResidencies();
  void RunInterval(int32_t interval);
  void ReleaseIdle(int32_t interval);
  void Linger(int32_t interval);
  void RunRequests(int32_t interval);
  void PlaceVisit(const Visit& visit);
  bool Arrive(const Visit& visit);
  bool BeAtStart(const Visit& visit);
  std::optional<KernelIndex> BeginTail(const Visit& visit);
  bool IsHead(const Visit& visit) const;
  bool FetchVisit(const Visit& visit);
  KernelIndex EarliestFetch(const Visit& visit) const;
  bool Fetch(TensorIndex t, int32_t use, KernelIndex earliest, KernelIndex due,
             int32_t interval);
  bool PlaceWhole(const Visit& visit);
  void PlacePieces(const Visit& visit);
  bool Join(TensorIndex t, int32_t use);
  bool JoinTail(TensorIndex t, int32_t use);
  void Leave(TensorIndex t, int32_t use);
  void LeaveInTime(TensorIndex t, int32_t use);
  void FinishStep();
  Limit LimitOf(TensorIndex t, int32_t use) const;
  bool LeavesLate(int32_t interval) const;
  bool BornSlow(TensorIndex t) const {
    return !rules_.born_slow.empty() && rules_.born_slow[t];
  }
  void AddResidenciesOf(TensorIndex t,
                        std::vector<Residency>& residencies) const;

  int64_t Bytes(TensorIndex t) const;
  KernelIndex IntervalStart(int32_t interval) const {
    return intervals_.first_kernel[interval];
  }
  int32_t LastUse(TensorIndex t) const {
    return static_cast<int32_t>(table_.uses[t].size()) - 1;
  }
  KernelIndex KernelOf(TensorIndex t, int32_t use) const {
    return table_.uses[t][use].kernel;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const Layers& layers_;
  const IntervalRules& rules_;
  const KernelIndex last_;  // the boundary that ends the step
  const Intervals intervals_;

  FastRoom room_;
  IntervalClock clock_;
  int64_t in_lane_ns_ = 0;    // when the lane is free
  int64_t out_lane_ns_ = 0;   // likewise
  int64_t tail_lane_ns_ = 0;  // the lane for the step's first interval

  std::vector<bool> managed_;  // by tensor: fast as its uses decide
  UseTable table_;
  std::vector<std::vector<UseResidency>>
      residencies_;  // by tensor, parallel to its uses
  // Residencies that last to the end of the step and go on in the next one.
  std::vector<std::optional<UseResidency>> tails_;  // by tensor
  // By tensor: the use after which it is in the fast tier; -1 if it is not
  // there or its copy out is decided.
  std::vector<int32_t> resident_;
  absl::btree_set<TensorIndex> residents_;
  std::vector<int32_t> visited_;  // by tensor: the last interval that wants it
  IntervalOutcome outcome_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_INTERVALS_INTERVAL_PLANNER_H_
