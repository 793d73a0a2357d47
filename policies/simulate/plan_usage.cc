#include "policies/simulate/plan_usage.h"

#include <algorithm>

#include "policies/layout/address_layout.h"
#include "policies/model/liveness.h"

namespace stowage::policies {
namespace {

// Follows the plan from boundary to boundary, in the order of events of
// proto/stowage/v1/plan.proto.
class UsageReplay {
 public:
  UsageReplay(const Graph& graph, const MemorySystem& system, const Plan& plan)
      : graph_(graph),
        births_(BirthsByKernel(graph)),
        deaths_(DeathsByBoundary(graph)),
        starts_(graph.kernels.size() + 1),
        deadlines_(graph.kernels.size() + 1),
        tier_(graph.tensors.size(), kFastTier),
        birth_tier_(tier_),
        held_bytes_(system.tiers.size(), 0) {
    usage_.peak_bytes = held_bytes_;
    for (const Allocation& a : plan.allocations) {
      birth_tier_[a.tensor] = a.at.tier;
    }
    for (const Move& move : plan.moves) {
      starts_[move.start_kernel].push_back(&move);
      if (!move.synchronous()) {
        deadlines_[move.deadline_kernel].push_back(&move);
      }
    }
    window_bytes_.resize(graph.kernels.size() + 1);
    for (const Stream& stream : plan.streams) {
      window_bytes_[stream.kernel] = stream.window_bytes;
    }
    Hold(kFastTier, RoundUpToPlacement(graph.unmanaged_peak_bytes));
    for (const Allocation& a : plan.initial) {
      tier_[a.tensor] = a.at.tier;
      Hold(a.at.tier, Bytes(a.tensor));
    }
  }

  PlanUsage Run() {
    for (KernelIndex b = 0; b <= graph_.kernel_count(); ++b) {
      PassBoundary(b);
      if (b == graph_.kernel_count()) break;
      for (TensorIndex t : births_[b]) {
        tier_[t] = birth_tier_[t];
        Hold(tier_[t], Bytes(t));
      }
      Hold(kFastTier, window_bytes_[b]);
      Hold(kFastTier, -window_bytes_[b]);
      CountOperands(graph_.kernels[b]);
    }
    if (read_bytes_ > 0) usage_.input_locality = fast_read_bytes_ / read_bytes_;
    if (written_bytes_ > 0) {
      usage_.output_locality = fast_written_bytes_ / written_bytes_;
    }
    return usage_;
  }

 private:
  int64_t Bytes(TensorIndex t) const {
    return RoundUpToPlacement(graph_.tensors[t].size_bytes);
  }

  void Hold(TierIndex tier, int64_t bytes) {
    held_bytes_[tier] += bytes;
    usage_.peak_bytes[tier] =
        std::max(usage_.peak_bytes[tier], held_bytes_[tier]);
  }

  void Complete(const Move& move) {
    tier_[move.tensor] = move.to.tier;
    if (!move.keeps_source) held_bytes_[move.from.tier] -= Bytes(move.tensor);
  }

  void PassBoundary(KernelIndex b) {
    for (TensorIndex t : deaths_[b]) held_bytes_[tier_[t]] -= Bytes(t);
    for (const Move* move : deadlines_[b]) Complete(*move);
    for (const Move* move : starts_[b]) {
      if (!move->is_drop) Hold(move->to.tier, Bytes(move->tensor));
      if (move->synchronous()) Complete(*move);
    }
  }

  void CountOperands(const Kernel& kernel) {
    for (const Operand& operand : kernel.operands) {
      const double bytes =
          static_cast<double>(graph_.tensors[operand.tensor].size_bytes) *
          operand.access_count;
      const bool fast = tier_[operand.tensor] == kFastTier;
      if (operand.read) read_bytes_ += bytes;
      if (operand.read && fast) fast_read_bytes_ += bytes;
      if (operand.write) written_bytes_ += bytes;
      if (operand.write && fast) fast_written_bytes_ += bytes;
    }
  }

  const Graph& graph_;
  const Groups births_;
  const Groups deaths_;
  std::vector<std::vector<const Move*>> starts_;     // by boundary
  std::vector<std::vector<const Move*>> deadlines_;  // asynchronous ones
  std::vector<TierIndex> tier_;        // by tensor, while it is alive
  std::vector<TierIndex> birth_tier_;  // by tensor
  std::vector<int64_t> held_bytes_;    // by tier
  std::vector<int64_t> window_bytes_;  // by kernel
  double read_bytes_ = 0, fast_read_bytes_ = 0;
  double written_bytes_ = 0, fast_written_bytes_ = 0;
  PlanUsage usage_;
};

}  // namespace

PlanUsage MeasurePlanUsage(const Graph& graph, const MemorySystem& system,
                           const Plan& plan) {
  const ChosenGraph chosen(graph, plan.implementations);
  return UsageReplay(chosen.get(), system, plan).Run();
}

std::optional<double> MemoryPriceUsd(const MemorySystem& system,
                                     const std::vector<int64_t>& peak_bytes) {
  double usd = 0;
  for (size_t tier = 0; tier < peak_bytes.size(); ++tier) {
    if (peak_bytes[tier] == 0) continue;
    if (system.tiers[tier].price_usd_per_gb <= 0) return std::nullopt;
    usd += static_cast<double>(peak_bytes[tier]) / 1e9 *
           system.tiers[tier].price_usd_per_gb;
  }
  return usd;
}

}  // namespace stowage::policies
