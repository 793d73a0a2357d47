// Estimates how long a kernel of a trace without durations takes.
//
//   int64_t ns = RooflineDurationNs(CallFlops(trace, call), bytes);
//
// The roofline rule is
//
//   duration = launch + max(FLOPs / peak FLOP/s, bytes touched / bandwidth),
//
// with the data sheet of NVIDIA's A100-40GB (19.5 TFLOP/s in FP32, 1555 GB/s).
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_ROOFLINE_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_ROOFLINE_H_

#include <cstdint>

#include "tools/stowage/import/operator_call.h"
#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

inline constexpr double kRooflineFlopsPerSecond = 19.5e12;
inline constexpr double kRooflineBytesPerSecond = 1.555e12;
inline constexpr int64_t kRooflineLaunchNs = 5000;
inline constexpr char kRooflineProcessor[] = "A100-40GB (roofline)";

// Returns 32 years at most.
int64_t RooflineDurationNs(int64_t flops, double bytes);

// Returns the FLOPs of matrix products and convolutions, and twice as many for
// their backward, from the shapes; 0 for other calls and if shapes are missing.
int64_t CallFlops(const ExecutionTrace& trace, const OperatorCall& call);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_ROOFLINE_H_
