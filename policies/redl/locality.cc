#include "policies/redl/locality.h"

#include <cstdint>

#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

double Share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
}

// Returns moves by the boundary from which on the tensor is at their
// destination.
std::vector<std::vector<Move>> MovesByDeadline(const Graph& graph,
                                               const Plan& plan) {
  std::vector<std::vector<Move>> moves(graph.kernels.size() + 1);
  for (const Move& move : plan.moves) {
    moves[move.deadline_kernel].push_back(move);
  }
  return moves;
}

}  // namespace

DataLocality ComputeDataLocality(const Graph& graph, const Plan& plan) {
  std::vector<TierIndex> tier(graph.tensors.size(), kFastTier);
  std::vector<TierIndex> birth_tier = tier;
  for (const Allocation& a : plan.initial) tier[a.tensor] = a.at.tier;
  for (const Allocation& a : plan.allocations) birth_tier[a.tensor] = a.at.tier;
  const auto births = BirthsByKernel(graph);
  const auto moves = MovesByDeadline(graph, plan);
  DataLocality locality;
  int64_t requests = 0, fast_requests = 0;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const Move& move : moves[k]) tier[move.tensor] = move.to.tier;
    for (TensorIndex t : births[k]) tier[t] = birth_tier[t];
    int64_t fast = 0;
    for (const Operand& operand : graph.kernels[k].operands) {
      if (tier[operand.tensor] == kFastTier) ++fast;
    }
    const auto asked = static_cast<int64_t>(graph.kernels[k].operands.size());
    locality.by_kernel.push_back(Share(fast, asked));
    requests += asked;
    fast_requests += fast;
  }
  locality.overall = Share(fast_requests, requests);
  return locality;
}

}  // namespace stowage::policies
