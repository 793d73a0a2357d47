#include "policies/deeptm/dqn/dqn_decider.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/deeptm/dqn/dqn_actor.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/environment.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

struct DqnDecider::State {
  TensorIndex tensor_count = 0;
  // By kernel, as in Environment; empty if the fast tier is not short.
  std::vector<std::vector<Decision>> decisions;
  std::vector<int64_t> room_bytes;  // by kernel
  int64_t slow_capacity_bytes = 0;
  QNetwork network;
};

DqnDecider::DqnDecider(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
DqnDecider::DqnDecider(DqnDecider&&) noexcept = default;
DqnDecider& DqnDecider::operator=(DqnDecider&&) noexcept = default;
DqnDecider::~DqnDecider() = default;

absl::StatusOr<DqnDecider> DqnDecider::Make(const DqnPolicy& policy,
                                            const Graph& graph,
                                            const MemorySystem& system) {
  absl::Status status = CheckDqnPolicy(policy);
  if (status.ok()) status = CheckTrainedFor(policy, graph, system);
  if (!status.ok()) return status;
  auto state = std::make_unique<State>(State{
      .tensor_count = graph.tensor_count(),
      .decisions = {},
      .room_bytes = {},
      .slow_capacity_bytes = 0,
      .network =
          QNetwork(ShapeOf(policy.settings),
                   policy.fits ? RandomWeights(ShapeOf(policy.settings), 0)
                               : UnpackWeights(policy.weights))});
  state->decisions.resize(graph.kernels.size());
  state->room_bytes.resize(graph.kernels.size());
  if (policy.fits) return DqnDecider(std::move(state));
  const Graph planned =
      WithStreamWindows(graph, system, policy.fast_limit_bytes).value_or(graph);
  const absl::StatusOr<Workload> workload =
      MakeWorkload(planned, system, policy.fast_limit_bytes);
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<Environment> environment = Environment::Make(
      planned, system, *workload, policy.settings.migration, HeatSettings());
  if (!environment.ok()) return environment.status();
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    state->decisions[k] = environment->Decisions(k);
    state->room_bytes[k] = environment->RoomBytes(k, workload->arena_bytes);
  }
  state->slow_capacity_bytes = environment->slow_capacity_bytes();
  return DqnDecider(std::move(state));
}

absl::StatusOr<std::vector<PlacementAction>> DqnDecider::Decide(
    const KernelSituation& situation) const {
  const KernelIndex k = situation.kernel;
  const auto kernel_count = static_cast<KernelIndex>(state_->decisions.size());
  if (k < 0 || k >= kernel_count) {
    return absl::InvalidArgumentError(
        absl::StrCat("kernel is ", k, ", but the graph has kernels 0 to ",
                     kernel_count - 1));
  }
  const auto share = [](int64_t part, int64_t whole) {
    return whole > 0 ? static_cast<float>(static_cast<double>(part) / whole)
                     : 0.0f;
  };
  const float fast_left =
      share(situation.fast_left_bytes, state_->room_bytes[k]);
  const float slow_left =
      situation.slow_left_bytes > 0
          ? share(situation.slow_left_bytes, state_->slow_capacity_bytes)
          : 1.0f;
  std::vector<PlacementAction> actions;
  std::vector<StateVector> states;
  const std::vector<Decision>& row = state_->decisions[k];
  auto entry = row.begin();
  TensorIndex previous = -1;
  for (const LivingTensor& living : situation.living) {
    if (living.tensor < 0 || living.tensor >= state_->tensor_count) {
      return absl::InvalidArgumentError(
          absl::StrCat("living tensor is ", living.tensor,
                       ", but the graph has ", state_->tensor_count));
    }
    if (living.tensor <= previous) {
      return absl::InvalidArgumentError(
          absl::StrCat("living tensors ", previous, " and ", living.tensor,
                       " are not in ascending order; sort them by index"));
    }
    previous = living.tensor;
    // Both are in the order of tensors. Tensors without a decision are passed
    // over.
    while (entry != row.end() && entry->tensor < living.tensor) ++entry;
    if (entry == row.end() || entry->tensor != living.tensor) continue;
    actions.push_back({.tensor = living.tensor});
    states.push_back(
        MakeStateVector(living.position, *entry, fast_left, slow_left));
  }
  std::vector<ActionValues> values(states.size());
  state_->network.Evaluate(states.data(), static_cast<int>(states.size()),
                           values.data());
  for (size_t i = 0; i < actions.size(); ++i) {
    const Action action = GreedyAction(values[i]);
    actions[i].fast = action.fast;
    actions[i].preference = action.preference;
  }
  return actions;
}

}  // namespace stowage::policies
