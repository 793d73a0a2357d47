#include "policies/deeptm/dqn/dqn_actor.h"

namespace stowage::policies {

Action GreedyAction(const ActionValues& values) {
  const float preference = values[0] - values[1];
  return {.fast = preference >= 0, .preference = preference};
}

void DqnActor::Act(const KernelState& state, std::vector<Action>& actions) {
  states_.clear();
  for (const Decision& entry : state.decisions) {
    states_.push_back(MakeStateVector(state.positions[entry.tensor], entry,
                                      state.fast_left, state.slow_left));
  }
  values_.resize(states_.size());
  network_.Evaluate(states_.data(), static_cast<int>(states_.size()),
                    values_.data());
  for (size_t i = 0; i < actions.size(); ++i) {
    actions[i] = GreedyAction(values_[i]);
  }
}

}  // namespace stowage::policies
