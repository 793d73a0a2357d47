// Finds all kernels of a trace, and which of them belong to an iteration.
//
//   TracedKernels kernels = FindKernels(trace);
//   KernelRange range = KernelsOf(iteration, trace, kernels);
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_TRACED_KERNELS_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_TRACED_KERNELS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/stowage/import/operator_call.h"
#include "tools/stowage/import/storage_history.h"
#include "tools/stowage/import/trace_iteration.h"
#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

struct TracedKernel {
  int call = 0;         // index into TracedKernels::calls
  CallEffects effects;  // on the trace's device only
};

struct TracedKernels {
  std::vector<OperatorCall> calls;
  std::vector<StorageInstance> instances;
  std::vector<TracedKernel> kernels;  // of the whole trace
  std::string device;                 // the one with the most bytes
  int64_t skipped_views = 0;          // calls that write nothing
  int64_t skipped_other_device = 0;   // calls that touch no tensor of `device`
  int64_t other_device_tensors = 0;
};

TracedKernels FindKernels(const ExecutionTrace& trace);

// The kernels with begin <= index < end.
struct KernelRange {
  int begin = 0;
  int end = 0;
};

KernelRange KernelsOf(const Iteration& iteration, const ExecutionTrace& trace,
                      const TracedKernels& kernels);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_TRACED_KERNELS_H_
