// Chooses which inactive periods are taken so that the bytes held in the fast
// tier stay within a budget at every boundary, and when their copies run.
//
//   EvictionPlanner planner(graph, system, workload, boundary_ns,
//                           /*copy_margin=*/1.0, budget_bytes);
//   if (planner.Plan(max_wait_ns)) residencies = planner.Residencies();
//
// It follows Belady's rule. At the first kernel over budget it takes the period
// with the farthest next use among those whose two copies hide behind kernels.
// If there is none, it takes or prolongs the period that is waited for least.
// Prefix sums of kernel times make the time between any two boundaries a
// subtraction.
#ifndef STOWAGE_POLICIES_SWAP_EVICTION_PLANNER_H_
#define STOWAGE_POLICIES_SWAP_EVICTION_PLANNER_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/functional/function_ref.h"
#include "policies/model/memory_system.h"
#include "policies/planning/inactive_period.h"
#include "policies/simulate/lane_schedule.h"

namespace stowage::policies {

// Not thread-safe; for one call of Plan. It keeps references to its arguments.
class EvictionPlanner {
 public:
  // `boundary_ns` says when each of the K + 1 boundaries is expected to be
  // reached. Copies are planned to take `copy_margin` times what the system
  // says, so that small deviations do not make kernels wait.
  EvictionPlanner(const Graph& graph, const MemorySystem& system,
                  const Workload& workload,
                  const std::vector<int64_t>& boundary_ns, double copy_margin,
                  int64_t budget_bytes);

  // Chooses periods until every boundary is within the budget. Returns false,
  // with part of the work done, as soon as kernels would wait longer than
  // `max_wait_ns` in all, or if the lanes are so full that it would take too
  // long to find out. Returns false if the workload's plan is cancelled.
  bool Plan(int64_t max_wait_ns);

  // Returns what is in the fast tier when. Call it after Plan.
  std::vector<Residency> Residencies() const;

 private:
  // Shows a period as the boundaries of one step see it, which may be a step
  // less than its own.
  struct Cover {
    int period = 0;
    KernelIndex turn = 0;  // 0, or a step
    KernelIndex end = 0;   // it covers the boundaries before
    // The kernel of its next use; if none follows, farther than all others.
    KernelIndex next_use = 0;
    // If it is taken, no room is held from `left` to `fetch` - 1.
    bool taken = false;
    KernelIndex left = 0;
    KernelIndex fetch = 0;
  };
  // Describes a way to take a period, and how long kernels would wait for it.
  struct Option {
    TakenPeriod taken;
    // The boundaries at which the tensor must be slow.
    KernelIndex slow_first = 0;
    KernelIndex slow_last = 0;
    int64_t out_start_ns = 0;
    int64_t in_start_ns = 0;
    int64_t wait_ns = 0;
  };

  void CountFastBytes();
  void AddFastBytes(KernelIndex begin, KernelIndex end, int64_t bytes);
  void TakeMandatoryPeriods();
  bool RelieveBoundary(KernelIndex boundary);
  void Open(KernelIndex boundary);
  void SetTaken(Cover& cover) const;
  // Visits the periods in which a tensor holds room at the boundary and could
  // do without it, until `visit` returns false: first those not taken, then by
  // distance of the next use, the farthest first.
  void VisitCandidates(KernelIndex boundary,
                       absl::FunctionRef<bool(int period)> visit) const;
  KernelIndex Unroll(int period, KernelIndex boundary) const;
  Option Extend(int period, KernelIndex boundary);
  Option Schedule(const InactivePeriod& period, KernelIndex slow_first,
                  KernelIndex slow_last) const;
  void ScheduleOut(const InactivePeriod& period, KernelIndex by,
                   Option& option) const;
  void ScheduleIn(const InactivePeriod& period, KernelIndex after,
                  Option& option) const;
  void Take(int period, const Option& option);
  void GiveBack(int period);
  void ReserveLanes(const Option& option);
  void ReleaseLanes(const Option& option);
  KernelIndex FirstBoundaryAt(int64_t ns) const;
  KernelIndex LastBoundaryAt(int64_t ns) const;

  const Graph& graph_;
  const MemorySystem& system_;
  const Workload& workload_;
  const std::vector<int64_t>& boundary_ns_;
  const int64_t budget_bytes_;
  const KernelIndex step_;  // boundaries in a step

  const std::vector<InactivePeriod> periods_;
  std::vector<std::vector<Cover>> begins_;  // by boundary
  // The periods that cover the boundary in hand, by distance of the next use,
  // then by period.
  std::vector<Cover> covering_;
  std::vector<std::optional<Option>> taken_;  // by period
  std::vector<int64_t> fast_bytes_;           // by boundary
  std::vector<int64_t> out_ns_;               // by tensor, with margin
  std::vector<int64_t> in_ns_;
  int64_t wait_ns_ = 0;  // of all periods taken
  LaneSchedule out_lane_;
  LaneSchedule in_lane_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SWAP_EVICTION_PLANNER_H_
