// Lets a policy find room for the windows through which kernels stream: it sees
// a graph in which they are workspaces of those kernels.
//
//   std::unique_ptr<Policy> policy =
//       std::make_unique<WindowPlanner>(std::move(belady));
//
// A kernel's window has its room while the kernel runs, and tensors have it at
// all other times. Whatever changes the places or the moves of a plan does so
// inside, where windows are tensors like others.
#ifndef STOWAGE_POLICIES_PLANNING_WINDOW_PLANNER_H_
#define STOWAGE_POLICIES_PLANNING_WINDOW_PLANNER_H_

#include <memory>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

class WindowPlanner : public Policy {
 public:
  explicit WindowPlanner(std::unique_ptr<Policy> policy)
      : policy_(std::move(policy)) {}

  std::string_view name() const override { return policy_->name(); }
  std::string_view description() const override {
    return policy_->description();
  }
  PolicyCapabilities capabilities() const override {
    return policy_->capabilities();
  }
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  const std::unique_ptr<Policy> policy_;
};

// Makes a plan of the graph from one of WithStreamWindows(): the places of the
// windows become those of its streams.
Plan TakeStreamWindows(const Graph& graph, const Graph& with_windows,
                       Plan plan);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_PLANNING_WINDOW_PLANNER_H_
