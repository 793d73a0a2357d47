#include "policies/scaling/roofline.h"

#include <algorithm>
#include <limits>

namespace stowage::policies {

KernelWork WorkOf(const Graph& graph, const Kernel& kernel) {
  KernelWork work{.flops = static_cast<double>(kernel.flops)};
  for (const Operand& operand : kernel.operands) {
    const double bytes =
        static_cast<double>(graph.tensors[operand.tensor].size_bytes) *
        operand.access_count;
    work.bytes += bytes * (operand.read + operand.write);
  }
  return work;
}

double RooflineNs(const KernelWork& work, const ProcessorPeak& peak) {
  return 1e9 *
         std::max(work.flops / static_cast<double>(peak.flops_per_second),
                  work.bytes / static_cast<double>(peak.bytes_per_second));
}

int64_t LaunchNs(const Graph& graph) {
  int64_t shortest_ns = std::numeric_limits<int64_t>::max();
  for (const Kernel& kernel : graph.kernels) {
    shortest_ns = std::min(shortest_ns,
                           kernel.profile.fast_inputs_fast_outputs.duration_ns);
  }
  return graph.kernels.empty() ? 0 : shortest_ns;
}

double ReachedShare(double roofline_ns, double work_ns) {
  if (roofline_ns <= 0 || work_ns <= roofline_ns) return 1;
  return roofline_ns / work_ns;
}

}  // namespace stowage::policies
