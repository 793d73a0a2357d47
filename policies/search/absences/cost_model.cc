#include "policies/search/absences/cost_model.h"

#include <numeric>
#include <utility>

#include "policies/layout/address_layout.h"
#include "policies/model/kernel_cost.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {
namespace {

TierIndex FindInPlaceTier(const MemorySystem& system) {
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return t;
  }
  return kFastTier;
}

}  // namespace

CostModel::CostModel(const Graph& graph, const MemorySystem& system,
                     const Workload& workload)
    : graph_(graph),
      system_(system),
      workload_(workload),
      drops_(graph),
      in_place_tier_(FindInPlaceTier(system)),
      streams_(graph.kernels.size()) {
  for (const Stream& stream : workload.streams) {
    streams_[stream.kernel] = &stream;
  }
  fast_boundary_ns_ = {0};
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    profiles_.push_back(CompleteProfile(graph, graph.kernels[k], system));
    fast_boundary_ns_.push_back(
        fast_boundary_ns_.back() +
        KernelNs(k, [](TensorIndex) { return kFastTier; }));
  }
  CountFastBytes();
}

void CostModel::CountFastBytes() {
  std::vector<int64_t> change(fast_boundary_ns_.size() + 1);
  for (const Residency& residency : AllFastResidencies(graph_)) {
    const int64_t bytes =
        RoundUpToPlacement(graph_.tensors[residency.tensor].size_bytes);
    change[residency.begin] += bytes;
    change[residency.end] -= bytes;
  }
  change.pop_back();
  std::partial_sum(change.begin(), change.end(), change.begin());
  all_fast_bytes_ = std::move(change);
}

int64_t CostModel::KernelNs(
    KernelIndex k, absl::FunctionRef<TierIndex(TensorIndex)> tier_of) const {
  const Kernel& kernel = graph_.kernels[k];
  int64_t ns = kernel.gap_ns +
               KernelDurationNs(graph_, kernel, profiles_[k], system_, tier_of);
  if (streams_[k] == nullptr) return ns;
  for (const Operand& operand : kernel.operands) {
    const TierIndex tier = tier_of(operand.tensor);
    if (tier == kFastTier || system_.tiers[tier].addressable) continue;
    ns += StreamNs(graph_, kernel, operand, system_, tier);
  }
  return ns;
}

int64_t CostModel::InPlacePenaltyNs(KernelIndex k, TensorIndex tensor) const {
  const TierIndex slow = in_place_tier_;
  const int64_t slow_ns =
      KernelDurationNs(graph_, graph_.kernels[k], profiles_[k], system_,
                       [&](TensorIndex t) { return t == tensor ? slow : 0; });
  return slow_ns + graph_.kernels[k].gap_ns -
         (fast_boundary_ns_[k + 1] - fast_boundary_ns_[k]);
}

int64_t CostModel::OutNs(TensorIndex tensor, TierIndex tier) const {
  return system_.CopyDurationNs(kFastTier, tier,
                                graph_.tensors[tensor].size_bytes);
}

int64_t CostModel::InNs(TensorIndex tensor, TierIndex tier) const {
  return system_.CopyDurationNs(tier, kFastTier,
                                graph_.tensors[tensor].size_bytes);
}

std::vector<int64_t> ExcessBytes(const CostModel& costs,
                                 const std::vector<int64_t>& allowed_bytes) {
  std::vector<int64_t> excess = costs.all_fast_bytes();
  for (size_t b = 0; b < excess.size(); ++b) excess[b] -= allowed_bytes[b];
  return excess;
}

}  // namespace stowage::policies
