// Says what a kernel costs in each configuration of its operands: which of them
// are in the fast tier (AutoTM, section 3.5, equation 6).
//
//   KernelConfigurations cost =
//       MakeConfigurations(graph, system, {.kernel = k}, tensors);
//   double ns = cost.DurationNs({true, false});   // tensors[1] is slow
//
// Pure functions of a valid graph.
#ifndef STOWAGE_POLICIES_AUTOTM_KERNEL_CONFIGURATION_H_
#define STOWAGE_POLICIES_AUTOTM_KERNEL_CONFIGURATION_H_

#include <cstdint>
#include <vector>

#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// With more operands than this, a kernel's configurations are not listed one by
// one, since there are two to the power of that number.
inline constexpr int kMaxListedOperands = 6;

// Gives the duration of one kernel as a function of which operands are slow. If
// the extra times of inputs and outputs add up, as they do in all derived
// profiles, it is a sum over operands and no configuration has to be listed.
struct KernelConfigurations {
  // The time with everything fast, streaming of operands that are never fast
  // included.
  double fast_ns = 0;
  // By operand: how much longer the kernel takes when it alone is slow. If
  // `listed_ns` is empty, the duration adds these.
  std::vector<double> slow_ns;
  // By configuration, operand i slow where bit i is set; empty if the sum is
  // right or if there are too many.
  std::vector<double> listed_ns;
  // The profile is not additive and the kernel has too many operands, so the
  // sum is exact only with all operands fast and with all of them slow.
  bool approximate = false;

  double DurationNs(const std::vector<bool>& slow) const;
};

struct RunningKernel {
  KernelIndex kernel = 0;
  int32_t implementation = 0;
};

// Computes the configurations. The place of `operands` is open; all other
// operands of the kernel are fast.
KernelConfigurations MakeConfigurations(
    const Graph& graph, const MemorySystem& system,
    const RunningKernel& running, const std::vector<TensorIndex>& operands);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_KERNEL_CONFIGURATION_H_
