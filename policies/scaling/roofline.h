// Says how long a kernel takes at least on a processor, and which share of that
// roofline it reached where it was measured.
//
//   double least_ns = RooflineNs(WorkOf(graph, kernel), peak);
//   double share = ReachedShare(least_ns, measured_ns - LaunchNs(graph));
//
// Pure functions. rehosting.h and batch_scaling.h use them.
#ifndef STOWAGE_POLICIES_SCALING_ROOFLINE_H_
#define STOWAGE_POLICIES_SCALING_ROOFLINE_H_

#include <cstdint>

#include "policies/model/graph.h"
#include "policies/model/processor.h"

namespace stowage::policies {

struct KernelWork {
  double flops = 0;  // 0 where unknown
  double bytes = 0;  // read and written, once per access
};

KernelWork WorkOf(const Graph& graph, const Kernel& kernel);

// Returns max(FLOPs / peak FLOP/s, bytes / bandwidth). The peak must be known.
double RooflineNs(const KernelWork& work, const ProcessorPeak& peak);

// Returns what a call costs without its work: the duration of the shortest
// kernel.
int64_t LaunchNs(const Graph& graph);

// Returns the share, in (0, 1]. It is 1 if the kernel was faster than the
// roofline (its bytes were in a cache) or has no work that counts.
double ReachedShare(double roofline_ns, double work_ns);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_SCALING_ROOFLINE_H_
