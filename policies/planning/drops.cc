#include "policies/planning/drops.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "policies/model/liveness.h"

namespace stowage::policies {
DropRule::DropRule(const Graph& graph)
    : uses_(UsesByTensor(graph)), writes_(WritesByTensor(graph)) {
  for (const Tensor& tensor : graph.tensors) {
    births_.push_back(tensor.persistent ? -1 : tensor.birth_kernel);
  }
}

bool DropRule::ChangesWithin(TensorIndex t, KernelIndex begin,
                             KernelIndex end) const {
  const auto writes = writes_[t];
  const auto write = std::lower_bound(writes.begin(), writes.end(), begin);
  return (write != writes.end() && *write < end) ||
         (begin <= births_[t] && births_[t] < end);
}

std::optional<KernelIndex> DropRule::DropAt(const Residency& residency) const {
  if (!residency.moved_in || !residency.moved_out ||
      ChangesWithin(residency.tensor, residency.begin, residency.end)) {
    return std::nullopt;
  }
  const auto uses = uses_[residency.tensor];
  const auto behind = std::lower_bound(uses.begin(), uses.end(), residency.end);
  const KernelIndex read = behind == uses.begin() ? 0 : *std::prev(behind) + 1;
  // Copies out go before synchronous copies in at a boundary.
  const KernelIndex drop = std::max(residency.ready + 1, read);
  if (drop > residency.end) return std::nullopt;
  return drop;
}

void DropRule::EndAtDrops(std::vector<Residency>& residencies) const {
  for (Residency& residency : residencies) {
    const std::optional<KernelIndex> drop = DropAt(residency);
    if (drop.has_value()) residency.leave = residency.end = *drop;
  }
}

void MakeDrops(const Graph& graph, Plan& plan) {
  const DropRule rule(graph);
  std::vector<Move*> fetches(graph.tensors.size());
  for (Move& move : plan.moves) {
    Move*& fetch = fetches[move.tensor];
    if (move.to.tier == kFastTier) {
      fetch = &move;
      continue;
    }
    if (fetch == nullptr || fetch->from != move.to) continue;
    const std::optional<KernelIndex> drop =
        rule.DropAt({.tensor = move.tensor,
                     .begin = fetch->start_kernel,
                     .ready = fetch->deadline_kernel,
                     .leave = move.start_kernel,
                     .end = move.deadline_kernel,
                     .moved_in = true,
                     .moved_out = true});
    fetch->keeps_source = move.is_drop = drop.has_value();
    if (drop.has_value()) move.start_kernel = move.deadline_kernel = *drop;
    fetch = nullptr;
  }
  SortMoves(plan.moves);
}

}  // namespace stowage::policies
