// Says online where the living tensors of one kernel should be.
//
//   absl::StatusOr<DqnDecider> decider = DqnDecider::Make(policy, graph,
//                                                         system);
//   KernelSituation situation{.kernel = 17, .living = {{3, Position::kSlow}},
//                             .fast_left_bytes = 1 << 20};
//   absl::StatusOr<std::vector<PlacementAction>> actions =
//       decider->Decide(situation);
//
// Needs no LibTorch.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_DECIDER_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_DECIDER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/heat/position.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct LivingTensor {
  TensorIndex tensor = 0;
  Position position = Position::kNone;  // kNone: the kernel allocates it
};

// Describes how things stand as a kernel is about to run.
struct KernelSituation {
  KernelIndex kernel = 0;
  std::vector<LivingTensor> living;  // by tensor
  int64_t fast_left_bytes = 0;
  int64_t slow_left_bytes = 0;  // 0: unlimited
};

struct PlacementAction {
  TensorIndex tensor = 0;
  bool fast = false;
  // How much more reward the policy expects of fast than of slow memory. If not
  // all fast ones have room, the lowest go without.
  float preference = 0;
};

// Immutable; safe to use from several threads. Movable; owns copies of all it
// needs of the graph.
class DqnDecider {
 public:
  // Makes a decider. INVALID_ARGUMENT and FAILED_PRECONDITION as in
  // PlanWithDqn; RESOURCE_EXHAUSTED for a graph with too many decisions.
  static absl::StatusOr<DqnDecider> Make(const DqnPolicy& policy,
                                         const Graph& graph,
                                         const MemorySystem& system);

  DqnDecider(DqnDecider&&) noexcept;
  DqnDecider& operator=(DqnDecider&&) noexcept;
  ~DqnDecider();

  // Returns one action for each living tensor that the policy decides on; none
  // for tensors that cannot move while this kernel runs. If the step is not
  // short of fast memory at this kernel, there are none: new tensors go there
  // and others stay. INVALID_ARGUMENT for a kernel or tensor that the graph
  // does not have.
  absl::StatusOr<std::vector<PlacementAction>> Decide(
      const KernelSituation& situation) const;

 private:
  struct State;
  explicit DqnDecider(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_DECIDER_H_
