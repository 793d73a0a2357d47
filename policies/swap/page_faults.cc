#include "policies/swap/page_faults.h"

#include <algorithm>
#include <map>
#include <vector>

#include "absl/strings/str_cat.h"

namespace stowage::policies {
namespace {

// Collects the moves into the fast tier that stand for a kernel's faults.
struct Faults {
  std::map<TensorIndex, int64_t> copy_ns;  // by tensor
};

std::vector<Faults> FaultsByKernel(const Graph& graph,
                                   const MemorySystem& system,
                                   const Plan& plan) {
  std::vector<Faults> faults(graph.kernels.size() + 1);
  for (const Move& move : plan.moves) {
    if (!move.synchronous() || move.to.tier != kFastTier) continue;
    faults[move.start_kernel].copy_ns[move.tensor] = system.CopyDurationNs(
        move.from.tier, kFastTier, graph.tensors[move.tensor].size_bytes);
  }
  return faults;
}

bool IsMeasured(const ProfiledDuration& corner) {
  return corner.source == DurationSource::kMeasured;
}

// Returns the time that the profile adds for operands that are faulted in. It
// is linear between the profile's corners by the share of bytes.
double FaultNs(const Graph& graph, const Kernel& kernel, const Faults& faults) {
  double read = 0, read_faulted = 0, written = 0, written_faulted = 0;
  for (const Operand& operand : kernel.operands) {
    const double bytes = graph.tensors[operand.tensor].size_bytes;
    const bool faulted = faults.copy_ns.contains(operand.tensor);
    (operand.read ? read : written) += bytes;
    if (faulted) (operand.read ? read_faulted : written_faulted) += bytes;
  }
  const KernelProfile& profile = kernel.profile;
  const double fast_ns = profile.fast_inputs_fast_outputs.duration_ns;
  const double inputs_ns = profile.slow_inputs_fast_outputs.duration_ns;
  const double all_ns = profile.slow_inputs_slow_outputs.duration_ns;
  const double read_share = read > 0 ? read_faulted / read : 0;
  const double written_share = written > 0 ? written_faulted / written : 0;
  return read_share * (inputs_ns - fast_ns) +
         written_share * (all_ns - inputs_ns);
}

}  // namespace

void ChargePageFaults(const Graph& graph, const MemorySystem& system,
                      Plan& plan) {
  const std::vector<Faults> faults = FaultsByKernel(graph, system, plan);
  int64_t overhead_ns = 0, unmeasured = 0;
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    if (faults[k].copy_ns.empty()) continue;
    const Kernel& kernel = graph.kernels[k];
    if (!IsMeasured(kernel.profile.slow_inputs_fast_outputs) ||
        !IsMeasured(kernel.profile.slow_inputs_slow_outputs)) {
      ++unmeasured;
      continue;
    }
    int64_t copies_ns = 0;
    for (const auto& [tensor, copy_ns] : faults[k].copy_ns) {
      copies_ns += copy_ns;
    }
    const auto fault_ns =
        static_cast<int64_t>(FaultNs(graph, kernel, faults[k]));
    overhead_ns += std::max<int64_t>(0, fault_ns - copies_ns);
  }
  plan.prediction.step_time_ns += overhead_ns;
  plan.prediction.stall_ns += overhead_ns;
  if (overhead_ns > 0) {
    plan.notes.push_back(absl::StrCat(
        "The predicted time includes ", overhead_ns / 1000000,
        " ms that page faults take beyond the copies, from the kernel times "
        "measured with faulted operands; executed as planned, the copies do "
        "not fault."));
  }
  if (unmeasured > 0) {
    plan.notes.push_back(
        absl::StrCat(unmeasured,
                     " kernels fault and have no measured time with faults; "
                     "they are charged the copies alone."));
  }
}

}  // namespace stowage::policies
