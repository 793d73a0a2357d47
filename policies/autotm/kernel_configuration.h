// What a kernel costs in each configuration of its operands (AutoTM, section
// 3.5, equation 6): which of them are in the fast tier.
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

// Above this many operands a kernel's configurations are not listed one by one:
// there are two to the power of them.
inline constexpr int kMaxListedOperands = 6;

// The duration of one kernel as a function of which operands are slow. Where
// the extra times of inputs and outputs add up, which they do in all derived
// profiles, it is a sum over operands and no configuration has to be listed.
struct KernelConfigurations {
  // With everything fast; the streaming of what is never fast included.
  double fast_ns = 0;
  // By operand: what it costs more when it alone is slow. The duration is the
  // sum of these where `listed_ns` is empty.
  std::vector<double> slow_ns;
  // By configuration, operand i slow where bit i is set; empty where the sum is
  // right or where there are too many.
  std::vector<double> listed_ns;
  // The profile is not additive and the kernel has too many operands: the sum
  // is exact where all operands are fast and where all are slow.
  bool approximate = false;

  double DurationNs(const std::vector<bool>& slow) const;
};

struct RunningKernel {
  KernelIndex kernel = 0;
  int32_t implementation = 0;
};

// `operands` are the tensors whose place is open; all others of the kernel are
// fast.
KernelConfigurations MakeConfigurations(
    const Graph& graph, const MemorySystem& system,
    const RunningKernel& running, const std::vector<TensorIndex>& operands);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_AUTOTM_KERNEL_CONFIGURATION_H_
