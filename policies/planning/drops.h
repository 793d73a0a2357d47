// Says which tensors leave the fast tier without a copy: those that were
// fetched and not written since, so that the place they came from still holds
// them. A written tensor is written back once (AutoTM 3.6).
//
//   absl::StatusOr<Plan> plan = BuildPlan(graph, system, input);
//   MakeDrops(graph, *plan);   // its steps take as long, or less
//
// Pure functions.
#ifndef STOWAGE_POLICIES_PLANNING_DROPS_H_
#define STOWAGE_POLICIES_PLANNING_DROPS_H_

#include <optional>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/groups.h"
#include "policies/plan/plan.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Thread-safe.
class DropRule {
 public:
  explicit DropRule(const Graph& graph);

  // Returns the boundary at which the tensor of `residency` may be dropped,
  // once nothing reads it there any more; nullopt if it has to be copied out,
  // or stays.
  std::optional<KernelIndex> DropAt(const Residency& residency) const;

  // Ends residencies that may be dropped where they may be.
  void EndAtDrops(std::vector<Residency>& residencies) const;

 private:
  // Returns whether one of kernels begin .. end - 1 writes it, or gives birth
  // to it.
  bool ChangesWithin(TensorIndex t, KernelIndex begin, KernelIndex end) const;

  Groups uses_;                      // kernels by tensor, ascending
  Groups writes_;                    // likewise
  std::vector<KernelIndex> births_;  // by tensor; -1 of persistent ones
};

// Turns departures of a plan into drops, as early as they can be. BuildPlan or
// SketchPlan must have made the plan, so that a tensor has one place in the
// slower tiers for as long as it may need it.
void MakeDrops(const Graph& graph, Plan& plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_DROPS_H_
