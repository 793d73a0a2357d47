#include "agents/engine/interference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "agents/engine/repeated_copy.h"
#include "agents/engine/trial_kernels.h"

namespace stowage::agent {
namespace {

// The most that memory_system.proto allows.
constexpr double kMostSlowdown = 16;

struct Durations {
  std::vector<int64_t> compute_ns, memory_ns;

  void Add(TrialKernels& kernels) {
    compute_ns.push_back(kernels.ComputeNs());
    memory_ns.push_back(kernels.MemoryNs());
  }
};

double Median(std::vector<int64_t> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return static_cast<double>(values[values.size() / 2]);
}

double SlowdownOf(const std::vector<int64_t>& beside_ns,
                  const std::vector<int64_t>& alone_ns) {
  const double slowdown = Median(beside_ns) / Median(alone_ns) - 1;
  return std::clamp(std::round(100 * slowdown) / 100, 0.0, kMostSlowdown);
}

v1::Slowdown Compare(const Durations& beside, const Durations& alone) {
  v1::Slowdown slowdown;
  slowdown.set_compute(SlowdownOf(beside.compute_ns, alone.compute_ns));
  slowdown.set_memory(SlowdownOf(beside.memory_ns, alone.memory_ns));
  return slowdown;
}

// The first kernel is not counted: it has all of what a copy begins with, such
// as threads that start.
absl::Status AddBeside(const Mover& mover, const MoveOrder& order,
                       TrialKernels& kernels, Durations& durations) {
  RepeatedCopy beside(mover, order);
  kernels.ComputeNs();
  durations.Add(kernels);
  return beside.Stop();
}

}  // namespace

absl::StatusOr<Slowdowns> MeasureSlowdowns(const Mover& mover,
                                           const CalibrationOptions& options) {
  MoveOrder out_order = kOutOfFast, in_order = kIntoFast;
  out_order.size_bytes = in_order.size_bytes = options.buffer_bytes.back();
  TrialKernels kernels(HostCores());
  Durations alone, out, in;
  for (int i = 0; i < options.repetitions; ++i) {
    Tell(options, "kernels beside copies", options.buffer_bytes.back());
    alone.Add(kernels);
    absl::Status status = AddBeside(mover, out_order, kernels, out);
    status.Update(AddBeside(mover, in_order, kernels, in));
    if (!status.ok()) return status;
  }
  return Slowdowns{.out = Compare(out, alone), .in = Compare(in, alone)};
}

}  // namespace stowage::agent
