#include "agents/jobs/planning/profile_drift.h"

#include <algorithm>
#include <cstdlib>

namespace stowage::agent {
namespace {

constexpr int64_t kDriftShare = 20;

const v1::ProfiledDuration& InFastMemory(const v1::Kernel& kernel) {
  return kernel.profile().fast_inputs_fast_outputs();
}

bool Measured(const v1::Kernel& kernel) {
  return InFastMemory(kernel).source() == v1::DURATION_SOURCE_MEASURED;
}

// Takes over what was measured of the kernel's streaming, and of which operands.
void KeepStreaming(const v1::Kernel& earlier, v1::Kernel* later) {
  *later->mutable_streamed() = earlier.streamed();
  for (int i = 0; i < later->operands_size(); ++i) {
    later->mutable_operands(i)->set_streamed(earlier.operands(i).streamed());
  }
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
      KeepStreaming(earlier.kernels(k), later->mutable_kernels(k));
    }
  }
}

std::vector<int64_t> GapsNs(const v1::Graph& graph) {
  std::vector<int64_t> gaps_ns;
  gaps_ns.reserve(graph.kernels_size());
  for (const v1::Kernel& kernel : graph.kernels()) {
    gaps_ns.push_back(kernel.gap_ns());
  }
  return gaps_ns;
}

void DropPauses(const std::vector<int64_t>& earlier_gaps_ns, v1::Graph* later) {
  for (int k = 0; k < later->kernels_size(); ++k) {
    v1::Kernel& kernel = *later->mutable_kernels(k);
    kernel.set_gap_ns(std::min(kernel.gap_ns(), earlier_gaps_ns[k]));
  }
}

}  // namespace stowage::agent
