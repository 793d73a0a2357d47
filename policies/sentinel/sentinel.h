// Plans as Sentinel does (Ren et al., HPCA 2021). Short-lived tensors stay in a
// reserved part of the fast tier. Long-lived ones migrate ahead of use, in
// intervals of a number of layers that a performance model chooses.
// docs/policies-sentinel.md lists every deviation.
//
//   SentinelPolicy sentinel;
//   absl::StatusOr<Plan> plan = sentinel.MakePlan(graph, system, options);
#ifndef STOWAGE_POLICIES_SENTINEL_SENTINEL_H_
#define STOWAGE_POLICIES_SENTINEL_SENTINEL_H_

#include <string_view>

#include "policies/intervals/layers.h"
#include "policies/plan/policy.h"

namespace stowage::policies {

// Is "sentinel": kernels may use tensors in the slow tier, so late fetches are
// waited for or left out, whichever is faster.
class SentinelPolicy : public Policy {
 public:
  // `interval_layers` is the length of a migration interval; 0 lets Sentinel
  // choose.
  explicit SentinelPolicy(LayerIndex interval_layers = 0)
      : interval_layers_(interval_layers) {}

  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  LayerIndex interval_layers_;
};

// Is "sentinel-gpu" (V): kernels use fast tensors only, so fetches are waited
// for.
class SentinelGpuPolicy : public Policy {
 public:
  explicit SentinelGpuPolicy(LayerIndex interval_layers = 0)
      : interval_layers_(interval_layers) {}

  std::string_view name() const override;
  std::string_view description() const override;
  absl::StatusOr<Plan> MakePlan(const Graph& graph, const MemorySystem& system,
                                const PlanOptions& options) const override;

 private:
  LayerIndex interval_layers_;
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SENTINEL_SENTINEL_H_
