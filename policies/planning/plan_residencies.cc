#include "policies/planning/plan_residencies.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace stowage::policies {
namespace {

// Follows each tensor through the step.
class ResidencyFinder {
 public:
  ResidencyFinder(const Graph& graph, const Plan& plan)
      : graph_(graph),
        plan_(plan),
        moves_(graph.tensors.size()),
        initial_(graph.tensors.size()),
        at_birth_(graph.tensors.size()),
        home_(graph.tensors.size()) {
    for (const Allocation& a : plan.initial) initial_[a.tensor] = a.at;
    for (const Allocation& a : plan.allocations) {
      at_birth_[a.tensor] = a.at;
    }
    for (const Move& move : plan.moves) moves_[move.tensor].push_back(&move);
  }

  std::optional<BuildInput> Find() {
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      const Tensor& tensor = graph_.tensors[t];
      const KernelIndex end = graph_.kernel_count() + 1;
      const KernelIndex death = tensor.death_kernel + 1;
      std::sort(moves_[t].begin(), moves_[t].end(),
                [](const Move* a, const Move* b) {
                  return std::pair(a->start_kernel, a->deadline_kernel) <
                         std::pair(b->start_kernel, b->deadline_kernel);
                });
      if (tensor.persistent) {
        Follow(t, initial_[t], 0, end);
      } else if (tensor.wraps()) {
        Follow(t, initial_[t], 0, death);
        Follow(t, at_birth_[t], tensor.birth_kernel, end);
      } else {
        Follow(t, at_birth_[t], tensor.birth_kernel, death);
      }
    }
    if (!has_one_home_) return std::nullopt;
    input_.streams = plan_.streams;
    input_.fast_limit_bytes = plan_.fast_limit_bytes;
    input_.first_slow_tier = std::move(home_);
    for (TierIndex& tier : input_.first_slow_tier) {
      tier = std::max<TierIndex>(tier, 1);
    }
    return std::move(input_);
  }

 private:
  // Follows the tensor from boundary `begin`, where it is allocated at `place`,
  // to `end`.
  void Follow(TensorIndex t, const Placement& place, KernelIndex begin,
              KernelIndex end) {
    Residency residency{.tensor = t,
                        .begin = begin,
                        .ready = begin,
                        .offset_bytes = place.offset_bytes};
    bool is_fast = place.tier == kFastTier;
    if (!is_fast) NoteHome(t, place.tier);
    for (const Move* move : moves_[t]) {
      if (move->start_kernel < begin || move->start_kernel >= end) continue;
      if (move->to.tier == kFastTier) {
        NoteHome(t, move->from.tier);
        residency = {.tensor = t,
                     .begin = move->start_kernel,
                     .ready = move->deadline_kernel,
                     .moved_in = true,
                     .offset_bytes = move->to.offset_bytes};
      } else {
        NoteHome(t, move->to.tier);
        residency.leave = move->start_kernel;
        residency.end = move->deadline_kernel;
        residency.moved_out = true;
        if (is_fast) input_.residencies.push_back(residency);
      }
      is_fast = move->to.tier == kFastTier;
    }
    if (!is_fast) return;
    residency.leave = residency.end = end;
    input_.residencies.push_back(residency);
  }

  void NoteHome(TensorIndex t, TierIndex tier) {
    if (home_[t] != kFastTier && home_[t] != tier) has_one_home_ = false;
    home_[t] = tier;
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<std::vector<const Move*>> moves_;  // by tensor
  std::vector<Placement> initial_;
  std::vector<Placement> at_birth_;
  std::vector<TierIndex> home_;  // kFastTier: none yet
  bool has_one_home_ = true;
  BuildInput input_;
};

}  // namespace

std::optional<BuildInput> BuildInputOf(const Graph& graph, const Plan& plan) {
  return ResidencyFinder(graph, plan).Find();
}

}  // namespace stowage::policies
