#include "agents/jobs/profile_drift.h"

#include <cstdlib>

namespace stowage::agent {
namespace {

constexpr int64_t kDriftShare = 10;

const v1::ProfiledDuration& InFastMemory(const v1::Kernel& kernel) {
  return kernel.profile().fast_inputs_fast_outputs();
}

bool Measured(const v1::Kernel& kernel) {
  return InFastMemory(kernel).source() == v1::DURATION_SOURCE_MEASURED;
}

}  // namespace

int64_t KernelsNs(const v1::Graph& graph) {
  int64_t total_ns = 0;
  for (const v1::Kernel& kernel : graph.kernels()) {
    total_ns += kernel.gap_ns() + InFastMemory(kernel).duration_ns();
  }
  return total_ns;
}

bool HasDrifted(int64_t planned_ns, int64_t measured_ns) {
  return std::abs(measured_ns - planned_ns) > planned_ns / kDriftShare;
}

void KeepMeasured(const v1::Graph& earlier, v1::Graph* later) {
  for (int k = 0; k < later->kernels_size(); ++k) {
    if (Measured(earlier.kernels(k)) && !Measured(later->kernels(k))) {
      *later->mutable_kernels(k)->mutable_profile() =
          earlier.kernels(k).profile();
    }
    if (earlier.kernels(k).has_streamed() &&
        !later->kernels(k).has_streamed()) {
      *later->mutable_kernels(k)->mutable_streamed() =
          earlier.kernels(k).streamed();
    }
  }
}

}  // namespace stowage::agent
