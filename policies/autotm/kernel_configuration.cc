#include "policies/autotm/kernel_configuration.h"

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "policies/model/implementations.h"
#include "policies/model/kernel_cost.h"

namespace stowage::policies {
namespace {

// Returns the tier of operands that are slow in place.
TierIndex SlowTier(const MemorySystem& system) {
  for (TierIndex t = 1; t < system.tier_count(); ++t) {
    if (system.tiers[t].addressable) return t;
  }
  return kFastTier;  // they are streamed, at no cost to the kernel here
}

Kernel Implemented(Kernel kernel, int32_t implementation) {
  kernel.profile = ProfileOf(kernel, implementation);
  return kernel;
}

// Returns kernel time as the simulator does, for any set of slow operands.
class KernelTime {
 public:
  KernelTime(const Graph& graph, const MemorySystem& system,
             const RunningKernel& running,
             const std::vector<TensorIndex>& operands)
      : graph_(graph),
        system_(system),
        kernel_(
            Implemented(graph.kernels[running.kernel], running.implementation)),
        profile_(CompleteProfile(graph, kernel_, system)),
        slow_tier_(SlowTier(system)) {
    for (size_t i = 0; i < operands.size(); ++i) index_[operands[i]] = i;
  }

  template <typename IsSlow>
  double Ns(IsSlow is_slow) const {
    return KernelDurationNs(
        graph_, kernel_, profile_, system_, [&](TensorIndex t) {
          const auto i = index_.find(t);
          return i != index_.end() && is_slow(i->second) ? slow_tier_
                                                         : kFastTier;
        });
  }

  // Returns how much more slow inputs and slow outputs cost together than
  // apart.
  int64_t InteractionNs() const {
    return profile_.slow_inputs_slow_outputs.duration_ns -
           profile_.slow_inputs_fast_outputs.duration_ns -
           profile_.fast_inputs_slow_outputs.duration_ns +
           profile_.fast_inputs_fast_outputs.duration_ns;
  }

 private:
  const Graph& graph_;
  const MemorySystem& system_;
  const Kernel kernel_;
  const KernelProfile profile_;
  const TierIndex slow_tier_;
  absl::flat_hash_map<TensorIndex, size_t> index_;
};

void ListConfigurations(const KernelTime& time, size_t operands,
                        KernelConfigurations& cost) {
  for (uint32_t set = 0; set < (1u << operands); ++set) {
    cost.listed_ns.push_back(time.Ns([&](size_t i) { return set >> i & 1; }));
  }
}

// Spreads the interaction over the operands in proportion to what each costs
// alone, so that the sum meets the duration with everything slow.
void SpreadInteraction(const KernelTime& time, KernelConfigurations& cost) {
  double sum_ns = 0;
  for (double ns : cost.slow_ns) sum_ns += ns;
  const double all_ns = time.Ns([](size_t) { return true; }) - cost.fast_ns;
  if (sum_ns <= 0) return;
  for (double& ns : cost.slow_ns) ns *= all_ns / sum_ns;
}

}  // namespace

double KernelConfigurations::DurationNs(const std::vector<bool>& slow) const {
  if (!listed_ns.empty()) {
    size_t set = 0;
    for (size_t i = 0; i < slow.size(); ++i) set |= size_t{slow[i]} << i;
    return listed_ns[set];
  }
  double ns = fast_ns;
  for (size_t i = 0; i < slow.size(); ++i) ns += slow[i] ? slow_ns[i] : 0;
  return ns;
}

KernelConfigurations MakeConfigurations(
    const Graph& graph, const MemorySystem& system,
    const RunningKernel& running, const std::vector<TensorIndex>& operands) {
  const KernelTime time(graph, system, running, operands);
  KernelConfigurations cost;
  cost.fast_ns = time.Ns([](size_t) { return false; });
  for (size_t i = 0; i < operands.size(); ++i) {
    cost.slow_ns.push_back(time.Ns([i](size_t j) { return i == j; }) -
                           cost.fast_ns);
  }
  if (time.InteractionNs() == 0) return cost;
  if (operands.size() <= kMaxListedOperands) {
    ListConfigurations(time, operands.size(), cost);
  } else {
    cost.approximate = true;
    SpreadInteraction(time, cost);
  }
  return cost;
}

}  // namespace stowage::policies
