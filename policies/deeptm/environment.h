// Keeps what DeepTM's DQN needs to know of a graph, a memory system and a
// limit, found once for all episodes (IV-C).
//
//   absl::StatusOr<Environment> environment = Environment::Make(
//       graph, system, workload, MigrationMode::kAsynchronous, {});
//   EpisodeOutcome outcome =   // episode.h
//       RunEpisode(*environment, {.budget_bytes = limit_bytes}, start, actor);
#ifndef STOWAGE_POLICIES_DEEPTM_ENVIRONMENT_H_
#define STOWAGE_POLICIES_DEEPTM_ENVIRONMENT_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/decision.h"
#include "policies/deeptm/migration_mode.h"
#include "policies/heat/heat_table.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"
#include "policies/planning/workload.h"

namespace stowage::policies {

// Immutable; safe to read from several threads. It keeps references to what it
// was made of.
class Environment {
 public:
  // Makes the environment. RESOURCE_EXHAUSTED as in MakeHeatTable; CANCELLED
  // with the workload's plan.
  static absl::StatusOr<Environment> Make(const Graph& graph,
                                          const MemorySystem& system,
                                          const Workload& workload,
                                          MigrationMode mode,
                                          const HeatSettings& heat);

  const Graph& graph() const { return *graph_; }
  const Workload& workload() const { return *workload_; }
  MigrationMode mode() const { return mode_; }
  // Returns the slower tier in which tensors are put: the first that kernels
  // can use in place, else the second.
  TierIndex slow_tier() const { return slow_tier_; }

  // Returns the tensors to decide on at a kernel that is short of fast memory,
  // by index, with their heat: those that can be elsewhere while this kernel
  // runs.
  const std::vector<Decision>& Decisions(KernelIndex k) const {
    return decisions_[k];
  }
  // Returns whether the movable tensors that are alive at the kernel do not all
  // fit.
  bool IsShort(KernelIndex k) const { return is_short_[k]; }
  // Return the movable tensors that have to be fast, or slow, while the kernel
  // runs.
  const std::vector<TensorIndex>& MustBeFast(KernelIndex k) const {
    return must_be_fast_[k];
  }
  const std::vector<TensorIndex>& MustBeSlow(KernelIndex k) const {
    return must_be_slow_[k];
  }
  const std::vector<TensorIndex>& Births(KernelIndex k) const {
    return births_[k];
  }
  // Returns the movable tensors that are freed before boundary b, 0 .. K.
  const std::vector<TensorIndex>& Deaths(KernelIndex b) const {
    return deaths_[b];
  }
  // Returns the movable tensors that are alive as a step begins.
  const std::vector<TensorIndex>& alive_at_start() const {
    return alive_at_start_;
  }

  // Returns the room for movable tensors at kernel k, or at the end of the step
  // if k is K, when decisions are made for `budget_bytes` (PlanByDeciding).
  int64_t RoomBytes(KernelIndex k, int64_t budget_bytes) const;
  // Returns what tensors that cannot move have of the fast tier.
  int64_t FixedBytes(KernelIndex k) const { return fixed_bytes_[k]; }
  // Returns the capacity of the slow tier, or the graph's peak if it is
  // unlimited.
  int64_t slow_capacity_bytes() const { return slow_capacity_bytes_; }
  // Returns a tensor's size, rounded up to the granularity of placement.
  int64_t Bytes(TensorIndex t) const { return bytes_[t]; }

  // Return s_t / B_t of eq. 4.
  int64_t OutNs(TensorIndex t) const { return out_ns_[t]; }
  int64_t InNs(TensorIndex t) const { return in_ns_[t]; }
  // Returns c_e of kernel k, host time before it and streaming included.
  int64_t KernelNs(KernelIndex k,
                   absl::FunctionRef<bool(TensorIndex)> is_fast) const;

  // Returns how much longer kernel k takes if its operand of that index, and no
  // other, is slow.
  int64_t LossNs(KernelIndex k, size_t operand) const {
    return loss_ns_[k][operand];
  }

  // Return C_max and C_min, eq. 9 and 10, with the host's time between kernels.
  int64_t slowest_ns() const { return slowest_ns_; }
  int64_t fastest_ns() const { return fastest_ns_; }
  // Returns what a mean kernel can lose: the unit of rewards.
  double mean_loss_ns() const { return mean_loss_ns_; }
  // Returns L_D' and L_P' of eq. 12: a capacity that holds everything.
  int64_t peak_bytes() const { return peak_bytes_; }

 private:
  Environment(const Graph& graph, const MemorySystem& system,
              const Workload& workload, MigrationMode mode);

  void FindLives();
  void FindDemands();
  void FindCosts();
  void FindLosses(KernelIndex k);
  void SelectDecisions(HeatTable table);
  bool CanDecide(KernelIndex k, TensorIndex t) const;
  int64_t WaitForStreamsNs(KernelIndex k,
                           absl::FunctionRef<bool(TensorIndex)> is_fast) const;

  const Graph* graph_;
  const MemorySystem* system_;
  const Workload* workload_;
  MigrationMode mode_;
  TierIndex slow_tier_ = 1;
  bool slow_in_place_ = false;

  std::vector<int64_t> bytes_, out_ns_, in_ns_;  // by tensor
  std::vector<TensorIndex> alive_at_start_;
  std::vector<std::vector<TensorIndex>> births_, deaths_;  // by boundary
  std::vector<std::vector<TensorIndex>> must_be_fast_, must_be_slow_;
  std::vector<int64_t> fixed_bytes_;  // by boundary: what cannot move
  std::vector<bool> is_short_;
  std::vector<std::vector<Decision>> decisions_;
  std::vector<KernelProfile> profiles_;
  std::vector<const Stream*> streams_;         // by kernel, may be null
  std::vector<std::vector<int64_t>> loss_ns_;  // by kernel and operand
  int64_t slowest_ns_ = 0;
  int64_t fastest_ns_ = 0;
  double mean_loss_ns_ = 1;
  int64_t peak_bytes_ = 0;
  int64_t slow_capacity_bytes_ = 0;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_ENVIRONMENT_H_
