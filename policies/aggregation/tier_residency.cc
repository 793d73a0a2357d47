#include "policies/aggregation/tier_residency.h"

#include <utility>

#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

// Walks through a step in the order of events of proto/stowage/v1/plan.proto.
class ResidencyFinder {
 public:
  ResidencyFinder(const Graph& graph, const Plan& plan)
      : graph_(graph),
        plan_(plan),
        tensors_(graph.tensors.size()),
        arriving_(graph.tensors.size(), -1),
        alive_(graph.tensors.size()),
        at_birth_(graph.tensors.size()) {
    const size_t boundaries = graph.kernels.size() + 1;
    starts_.resize(boundaries);
    deadlines_.resize(boundaries);
    deaths_.resize(boundaries);
    for (size_t m = 0; m < plan.moves.size(); ++m) {
      const Move& move = plan.moves[m];
      starts_[move.start_kernel].push_back(static_cast<int>(m));
      if (move.synchronous()) continue;
      deadlines_[move.deadline_kernel].push_back(static_cast<int>(m));
    }
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      if (graph.tensors[t].persistent) continue;
      deaths_[graph.tensors[t].death_kernel + 1].push_back(t);
    }
    for (const Allocation& a : plan.allocations) at_birth_[a.tensor] = a.at;
  }

  std::optional<std::vector<TensorResidencies>> Find() {
    for (const Allocation& a : plan_.initial) Open(a.tensor, a.at.tier, -1);
    const Groups births = BirthsByKernel(graph_);
    for (KernelIndex b = 0; b <= graph_.kernel_count(); ++b) {
      ++event_;
      for (TensorIndex t : deaths_[b]) Close(t);
      for (int m : deadlines_[b]) Complete(m);
      for (int m : starts_[b]) {
        ++event_;
        if (!Start(m)) return std::nullopt;
      }
      ++event_;
      if (b == graph_.kernel_count()) break;
      for (TensorIndex t : births[b]) {
        tensors_[t].birth = static_cast<int>(tensors_[t].residencies.size());
        Open(t, at_birth_[t].tier, -1);
      }
    }
    ++event_;
    for (TensorIndex t = 0; t < graph_.tensor_count(); ++t) {
      if (alive_[t]) Close(t);
    }
    for (const Allocation& a : plan_.initial) {
      std::vector<TierResidency>& residencies = tensors_[a.tensor].residencies;
      if (residencies.back().tier != a.at.tier) return std::nullopt;
      const int last = residencies.back().place;
      for (TierResidency& residency : residencies) {
        if (residency.place == last) residency.place = 0;
      }
    }
    return std::move(tensors_);
  }

 private:
  void Open(TensorIndex t, TierIndex tier, int32_t arrived_by) {
    std::vector<TierResidency>& residencies = tensors_[t].residencies;
    residencies.push_back({.tier = tier,
                           .place = static_cast<int>(residencies.size()),
                           .held = {event_, event_},
                           .arrived_by = arrived_by});
    alive_[t] = true;
  }

  void Close(TensorIndex t) {
    tensors_[t].residencies.back().held.end = event_;
    alive_[t] = false;
  }

  // Starts move `m`. The last residency is where the tensor is, or, while it
  // moves, where it goes.
  bool Start(int m) {
    const Move& move = plan_.moves[m];
    const TensorIndex t = move.tensor;
    if (!alive_[t] || arriving_[t] >= 0 ||
        tensors_[t].residencies.back().tier != move.from.tier) {
      return false;
    }
    if (move.is_drop && !HasKept(t, move.to.tier)) return false;
    Open(t, move.to.tier, m);
    arriving_[t] = m;
    if (move.synchronous()) {
      ++event_;
      Complete(m);
    }
    return true;
  }

  // Returns whether the last move kept its source, in that tier.
  bool HasKept(TensorIndex t, TierIndex tier) const {
    const std::vector<TierResidency>& residencies = tensors_[t].residencies;
    const int32_t fetch = residencies.back().arrived_by;
    return fetch >= 0 && plan_.moves[fetch].keeps_source &&
           residencies[residencies.size() - 2].tier == tier;
  }

  void Complete(int m) {
    const Move& move = plan_.moves[m];
    std::vector<TierResidency>& residencies = tensors_[move.tensor].residencies;
    const size_t last = residencies.size() - 1;
    if (!move.keeps_source) residencies[last - 1].held.end = event_;
    if (move.is_drop) {
      residencies[last - 2].held.end = event_;
      residencies[last].place = residencies[last - 2].place;
    }
    arriving_[move.tensor] = -1;
  }

  const Graph& graph_;
  const Plan& plan_;
  std::vector<TensorResidencies> tensors_;
  std::vector<int> arriving_;  // by tensor: the move under way, or -1
  std::vector<bool> alive_;
  std::vector<Placement> at_birth_;
  std::vector<std::vector<int>> starts_;  // by boundary
  std::vector<std::vector<int>> deadlines_;
  std::vector<std::vector<TensorIndex>> deaths_;
  KernelIndex event_ = 0;
};

}  // namespace

std::optional<std::vector<TensorResidencies>> FindTierResidencies(
    const Graph& graph, const Plan& plan) {
  return ResidencyFinder(graph, plan).Find();
}

}  // namespace stowage::policies
