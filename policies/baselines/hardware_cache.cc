#include "policies/baselines/hardware_cache.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/kernel_cost.h"
#include "policies/planning/plan_policy.h"
#include "policies/planning/staging.h"
#include "policies/simulate/later.h"
#include "policies/swap/cache_model.h"

namespace stowage::policies {
namespace {

// The most pages for which tags are kept; larger caches get larger pages.
constexpr int64_t kMaxLines = 1 << 20;

int64_t PageBytes(int64_t capacity_bytes) {
  int64_t page_bytes = kPlacementAlignmentBytes;
  while (capacity_bytes / page_bytes > kMaxLines) page_bytes *= 2;
  return page_bytes;
}

// Runs steps of the graph through the cache. Immovable tensors, which the plan
// keeps in the fast tier, do not pass through it.
class CachedStep {
 public:
  CachedStep(const Graph& graph, const MemorySystem& system, const Plan& plan,
             int64_t capacity_bytes)
      : graph_(graph),
        system_(system),
        cache_(capacity_bytes, PageBytes(capacity_bytes)),
        address_(graph.tensors.size(), kNotCached) {
    for (const Allocation& initial : plan.initial) Note(initial);
    for (const Allocation& birth : plan.allocations) Note(birth);
  }

  // Runs one step; the cache stays as it is for the next one.
  Prediction Run() {
    Prediction prediction;
    double touched = 0, hit = 0;
    for (const Kernel& kernel : graph_.kernels) {
      const CacheModel::Traffic traffic = Touch(kernel);
      for (const Operand& operand : kernel.operands) {
        touched += graph_.tensors[operand.tensor].size_bytes;
        if (address_[operand.tensor] == kNotCached) {
          hit += graph_.tensors[operand.tensor].size_bytes;
        }
      }
      hit += traffic.hit_bytes;
      const int64_t miss_ns = MissNs(traffic);
      prediction.step_time_ns =
          LaterNs(LaterNs(prediction.step_time_ns, kernel.gap_ns),
                  FastNs(kernel) + miss_ns);
      prediction.moved_in_bytes += traffic.filled_bytes;
      prediction.moved_out_bytes += traffic.written_back_bytes;
    }
    prediction.locality = touched > 0 ? std::min(1.0, hit / touched) : 1.0;
    return prediction;
  }

 private:
  static constexpr int64_t kNotCached = -1;

  void Note(const Allocation& allocation) {
    if (allocation.at.tier != kFastTier) {
      address_[allocation.tensor] = allocation.at.offset_bytes;
    }
  }

  CacheModel::Traffic Touch(const Kernel& kernel) {
    cache_.ResetTraffic();
    for (const Operand& operand : kernel.operands) {
      if (address_[operand.tensor] == kNotCached) continue;
      cache_.Access(address_[operand.tensor],
                    graph_.tensors[operand.tensor].size_bytes, operand.write);
    }
    return cache_.traffic();
  }

  int64_t FastNs(const Kernel& kernel) const {
    return KernelDurationNs(graph_, kernel, system_,
                            [](TensorIndex) { return kFastTier; });
  }

  // Returns the time of misses: copies between the tiers that the kernel waits
  // for.
  int64_t MissNs(const CacheModel::Traffic& traffic) const {
    int64_t ns = 0;
    if (traffic.filled_bytes > 0) {
      ns += system_.CopyDurationNs(1, kFastTier, traffic.filled_bytes);
    }
    if (traffic.written_back_bytes > 0) {
      ns += system_.CopyDurationNs(kFastTier, 1, traffic.written_back_bytes);
    }
    return ns;
  }

  const Graph& graph_;
  const MemorySystem& system_;
  CacheModel cache_;
  std::vector<int64_t> address_;  // by tensor
};

}  // namespace

std::string_view HardwareCachePolicy::name() const { return "hardware-cache"; }

std::string_view HardwareCachePolicy::description() const {
  return "Optane memory mode: DRAM as a direct-mapped cache, simulated; no "
         "planned moves";
}

absl::StatusOr<Plan> HardwareCachePolicy::MakePlan(
    const Graph& graph, const MemorySystem& system,
    const PlanOptions& options) const {
  if (!system.tiers[1].addressable) {
    return absl::FailedPreconditionError(absl::StrCat(
        "hardware-cache needs an addressable second tier, and that of '",
        system.name, "' is not; use lru or belady"));
  }
  absl::StatusOr<Plan> plan = PlanByDeciding(
      graph, system, options, name(),
      [&](const Workload&, int64_t) { return ImmovableResidencies(graph); });
  if (!plan.ok() || plan->fits) return plan;
  const int64_t immovable_bytes = plan->prediction.fast_peak_bytes;
  const int64_t cache_bytes =
      std::max<int64_t>(0, plan->fast_limit_bytes - immovable_bytes);
  CachedStep step(graph, system, *plan, cache_bytes);
  step.Run();  // fills the cache; the second step is the steady state
  plan->prediction = step.Run();
  plan->prediction.fast_peak_bytes = plan->fast_limit_bytes;
  plan->notes.clear();  // of a placement whose times do not count
  return plan;
}

}  // namespace stowage::policies
