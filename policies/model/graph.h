// Holds the kernels and tensors of one training step, with their profile.
//
//   absl::StatusOr<Graph> graph = GraphFromProto(proto);   // validates
//   Liveness liveness = ComputeLiveness(*graph);
//   int64_t peak_bytes = liveness.peak_bytes;
//
// Plain data, freely copied; safe to read from several threads.
#ifndef STOWAGE_POLICIES_MODEL_GRAPH_H_
#define STOWAGE_POLICIES_MODEL_GRAPH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "policies/model/processor.h"

namespace stowage::policies {

using TensorIndex = int32_t;
using KernelIndex = int32_t;

enum class TensorKind {
  kUnspecified,
  kInput,
  kWeight,
  kOptimizerState,
  kActivation,
  kGradient,
  kWorkspace,
  // Room that a kernel streams through; only in graphs that a planner makes for
  // itself (stream_windows.h).
  kStreamWindow,
};

// Describes one storage. In a valid graph every tensor that is not persistent
// has `birth_kernel` and `death_kernel`.
struct Tensor {
  int64_t size_bytes = 0;
  TensorKind kind = TensorKind::kUnspecified;
  bool persistent = false;
  KernelIndex birth_kernel = -1;  // allocated as this kernel starts
  KernelIndex death_kernel = -1;  // freed when this kernel has ended
  std::string name;
  bool pinned = false;  // stays in the fast tier

  // Returns whether it is born in one step and freed in the next.
  bool wraps() const { return !persistent && birth_kernel > death_kernel; }
  // Returns whether it is alive as a step begins.
  bool alive_at_start() const { return persistent || wraps(); }
  // Returns whether it may be copied to another place between kernels.
  bool movable() const {
    return kind != TensorKind::kWorkspace &&
           kind != TensorKind::kStreamWindow && !pinned;
  }
};

struct Operand {
  TensorIndex tensor = 0;
  bool read = false;
  bool write = false;
  int32_t access_count = 1;
  bool streamed = false;   // when Kernel::streamed was measured
  bool scattered = false;  // the kernel jumps about in it
};

enum class DurationSource { kUnspecified, kMeasured, kDerived, kRehosted };

struct ProfiledDuration {
  int64_t duration_ns = 0;
  DurationSource source = DurationSource::kUnspecified;
};

// Holds the durations of a kernel with its inputs and its outputs in the fast
// or a slower tier (DeepTM III-B, AutoTM 3.2). Corners with an unspecified
// source are derived once a memory system is known (see kernel_cost.h).
struct KernelProfile {
  ProfiledDuration fast_inputs_fast_outputs;
  ProfiledDuration fast_inputs_slow_outputs;
  ProfiledDuration slow_inputs_fast_outputs;
  ProfiledDuration slow_inputs_slow_outputs;
};

// Describes another way to run a kernel, with the same operands (AutoTM 7.1.4).
struct KernelImplementation {
  std::string name;
  KernelProfile profile;
  int64_t workspace_bytes = 0;
};

// Says what was measured of a kernel whose operands streamed, as in
// proto/stowage/v1/graph.proto.
struct MeasuredStreaming {
  int64_t bytes = 0;  // read and written; 0: nothing was measured
  int64_t duration_ns = 0;
  int64_t window_bytes = 0;  // that was enough for it; 0: not known
};

struct Kernel {
  std::string name;
  int32_t layer = 0;
  std::vector<Operand> operands;  // each tensor at most once
  int64_t flops = 0;              // 0: unknown
  KernelProfile profile;
  int64_t gap_ns = 0;  // host time before the kernel
  // Implementations besides the one that `profile` describes; see
  // implementations.h.
  std::vector<KernelImplementation> alternatives;
  MeasuredStreaming streamed;
};

struct Graph {
  std::string name;
  std::vector<Tensor> tensors;
  std::vector<Kernel> kernels;
  std::string source;
  std::string processor;
  int64_t unmanaged_peak_bytes = 0;
  ProcessorPeak processor_peak;
  // Of all kernels together: how fast one streams of which nothing is known.
  MeasuredStreaming streamed;

  KernelIndex kernel_count() const {
    return static_cast<KernelIndex>(kernels.size());
  }
  TensorIndex tensor_count() const {
    return static_cast<TensorIndex>(tensors.size());
  }
};

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_MODEL_GRAPH_H_
