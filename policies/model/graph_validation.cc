#include "policies/model/graph_validation.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "policies/model/field_check.h"
#include "policies/model/implementations.h"
#include "policies/model/liveness.h"
#include "policies/model/name.h"

namespace stowage::policies {
namespace {

constexpr int64_t kMaxTensorBytes = int64_t{1} << 50;
// Keeps sums of sizes and of times far from 2^63, so that no later sum
// overflows.
constexpr int64_t kMaxTotalBytes = int64_t{1} << 60;
constexpr int64_t kMaxTotalNs = int64_t{1} << 60;
constexpr int64_t kMaxKernelNs = int64_t{1} << 50;  // 13 days
constexpr int64_t kMaxRate = int64_t{1} << 60;      // a second
constexpr int32_t kMaxAccessCount = 1'000'000;
constexpr size_t kMaxAlternatives = 15;

absl::Status CheckLifetime(const Graph& graph, const std::string& place,
                           const Tensor& tensor) {
  const KernelIndex last = graph.kernel_count() - 1;
  if (tensor.persistent) return absl::OkStatus();
  absl::Status status =
      CheckRange(place + ".birth_kernel", tensor.birth_kernel, 0, last);
  status.Update(
      CheckRange(place + ".death_kernel", tensor.death_kernel, 0, last));
  if (tensor.kind == TensorKind::kWorkspace &&
      tensor.birth_kernel != tensor.death_kernel) {
    status.Update(
        RefuseField(place + ".death_kernel", tensor.death_kernel,
                    "a workspace lives for one kernel; make it equal to "
                    "birth_kernel or choose another kind"));
  }
  return status;
}

absl::Status CheckTensor(const Graph& graph, TensorIndex index) {
  const Tensor& tensor = graph.tensors[index];
  const std::string place = absl::StrCat("tensors[", index, "]");
  absl::Status status =
      CheckRange(place + ".size_bytes", tensor.size_bytes, 1, kMaxTensorBytes);
  if (tensor.persistent && tensor.kind == TensorKind::kWorkspace) {
    status.Update(absl::InvalidArgumentError(absl::StrCat(
        place,
        ".persistent is true, but a workspace lives for one kernel; "
        "clear it or choose another kind")));
  }
  status.Update(CheckLifetime(graph, place, tensor));
  return status;
}

absl::Status CheckOperand(const Graph& graph, KernelIndex kernel, int index) {
  const Operand& operand = graph.kernels[kernel].operands[index];
  const std::string place =
      absl::StrCat("kernels[", kernel, "].operands[", index, "]");
  if (operand.tensor < 0 || operand.tensor >= graph.tensor_count()) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ".tensor is ", operand.tensor, ", but the graph has ",
        graph.tensor_count(), " tensors; use 0 to ", graph.tensor_count() - 1));
  }
  if (!operand.read && !operand.write) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, " is neither read nor written; set one of them or remove it"));
  }
  const Tensor& tensor = graph.tensors[operand.tensor];
  if (!AliveAt(tensor, kernel)) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, " uses tensor ", operand.tensor,
        " outside its lifetime, kernels ", tensor.birth_kernel, " to ",
        tensor.death_kernel, "; extend the lifetime or remove the operand"));
  }
  return CheckRange(place + ".access_count", operand.access_count, 1,
                    kMaxAccessCount);
}

absl::Status CheckDuration(const std::string& place,
                           const ProfiledDuration& duration) {
  if (duration.source == DurationSource::kUnspecified) return absl::OkStatus();
  return CheckRange(place + ".duration_ns", duration.duration_ns, 0,
                    kMaxKernelNs);
}

absl::Status CheckProfile(const std::string& place,
                          const KernelProfile& profile) {
  if (profile.fast_inputs_fast_outputs.source == DurationSource::kUnspecified) {
    return absl::InvalidArgumentError(absl::StrCat(
        place,
        ".fast_inputs_fast_outputs is missing; give its duration_ns and "
        "source, every other corner can be derived from it"));
  }
  absl::Status status;
  status.Update(CheckDuration(place + ".fast_inputs_fast_outputs",
                              profile.fast_inputs_fast_outputs));
  status.Update(CheckDuration(place + ".fast_inputs_slow_outputs",
                              profile.fast_inputs_slow_outputs));
  status.Update(CheckDuration(place + ".slow_inputs_fast_outputs",
                              profile.slow_inputs_fast_outputs));
  status.Update(CheckDuration(place + ".slow_inputs_slow_outputs",
                              profile.slow_inputs_slow_outputs));
  return status;
}

absl::Status CheckRepeatedOperands(const Graph& graph, KernelIndex kernel,
                                   std::vector<KernelIndex>& last_kernel) {
  for (const Operand& operand : graph.kernels[kernel].operands) {
    if (last_kernel[operand.tensor] == kernel) {
      return absl::InvalidArgumentError(absl::StrCat(
          "kernels[", kernel, "].operands lists tensor ", operand.tensor,
          " twice; merge the entries and add their access counts"));
    }
    last_kernel[operand.tensor] = kernel;
  }
  return absl::OkStatus();
}

absl::Status CheckAlternatives(const std::string& place, const Kernel& kernel) {
  if (kernel.alternatives.size() > kMaxAlternatives) {
    return RefuseField(place + ".alternatives' length",
                       kernel.alternatives.size(),
                       absl::StrCat("give at most ", kMaxAlternatives));
  }
  absl::Status status;
  for (size_t i = 0; i < kernel.alternatives.size(); ++i) {
    const std::string where = absl::StrCat(place, ".alternatives[", i, "]");
    status.Update(
        CheckProfile(where + ".profile", kernel.alternatives[i].profile));
    status.Update(CheckRange(where + ".workspace_bytes",
                             kernel.alternatives[i].workspace_bytes, 0,
                             kMaxTensorBytes));
  }
  return status;
}

absl::Status CheckKernel(const Graph& graph, KernelIndex index) {
  const Kernel& kernel = graph.kernels[index];
  const std::string place = absl::StrCat("kernels[", index, "]");
  if (kernel.name.empty()) {
    return absl::InvalidArgumentError(
        place + ".name is empty; give the operator's name");
  }
  absl::Status status =
      CheckRange(place + ".layer", kernel.layer, 0, INT32_MAX);
  status.Update(CheckRange(place + ".flops", kernel.flops, 0, INT64_MAX));
  status.Update(CheckRange(place + ".gap_ns", kernel.gap_ns, 0, kMaxKernelNs));
  status.Update(CheckRange(place + ".streamed.bytes", kernel.streamed.bytes, 0,
                           kMaxTotalBytes));
  status.Update(CheckRange(place + ".streamed.duration_ns",
                           kernel.streamed.duration_ns, 0, kMaxKernelNs));
  status.Update(CheckRange(place + ".streamed.window_bytes",
                           kernel.streamed.window_bytes, 0, kMaxTotalBytes));
  status.Update(CheckProfile(place + ".profile", kernel.profile));
  status.Update(CheckAlternatives(place, kernel));
  for (int i = 0; status.ok() && i < kernel.operands.size(); ++i) {
    status = CheckOperand(graph, index, i);
  }
  return status;
}

// Checks that a kernel with a choice has one workspace that no kernel lists as
// an operand: the corners say what running the kernel costs, and the size of
// the workspace may change.
absl::Status CheckChoosableWorkspaces(const Graph& graph) {
  std::vector<int> workspaces(graph.kernels.size(), 0);
  for (const Tensor& tensor : graph.tensors) {
    if (tensor.kind == TensorKind::kWorkspace) {
      ++workspaces[tensor.birth_kernel];
    }
  }
  const std::vector<TensorIndex> choosable = ChoosableWorkspaces(graph);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    const Kernel& kernel = graph.kernels[k];
    if (kernel.alternatives.empty()) continue;
    const bool listed =
        std::any_of(kernel.operands.begin(), kernel.operands.end(),
                    [&](const Operand& o) { return o.tensor == choosable[k]; });
    if (workspaces[k] == 1 && !listed) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "kernels[", k, "] has alternatives, ", workspaces[k], " workspaces",
        listed ? " and lists one as operand" : "",
        "; give it one, of 1 byte where its first implementation takes none, "
        "and do not list it"));
  }
  return absl::OkStatus();
}

int64_t LargestWorkspaceBytes(const Kernel& kernel) {
  int64_t most = 0;
  for (const KernelImplementation& alternative : kernel.alternatives) {
    most = std::max(most, alternative.workspace_bytes);
  }
  return most;
}

// Returns the duration of the slowest implementation.
int64_t DurationNs(const Kernel& kernel) {
  int64_t most = 0;
  for (int32_t i = 0; i <= kernel.alternatives.size(); ++i) {
    const KernelProfile& profile = ProfileOf(kernel, i);
    most = std::max(most, profile.fast_inputs_fast_outputs.duration_ns +
                              profile.slow_inputs_slow_outputs.duration_ns);
  }
  return most;
}

absl::Status CheckBytes(const Graph& graph) {
  const auto too_many = [] {
    return absl::InvalidArgumentError(absl::StrCat(
        "the sizes of the tensors add up to more than ", kMaxTotalBytes,
        " bytes; check their units, sizes are bytes"));
  };
  int64_t bytes = graph.unmanaged_peak_bytes;
  for (const Tensor& tensor : graph.tensors) {
    bytes += tensor.size_bytes;
    if (bytes > kMaxTotalBytes) return too_many();
  }
  for (const Kernel& kernel : graph.kernels) {
    bytes += LargestWorkspaceBytes(kernel);
    if (bytes > kMaxTotalBytes) return too_many();
  }
  return absl::OkStatus();
}

absl::Status CheckTimes(const Graph& graph) {
  int64_t ns = 0;
  for (const Kernel& kernel : graph.kernels) {
    ns += kernel.gap_ns + DurationNs(kernel);
    if (ns <= kMaxTotalNs) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "the durations of the kernels add up to more than ", kMaxTotalNs,
        " ns; check their units, times are nanoseconds"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ValidateGraph(const Graph& graph) {
  absl::Status status = CheckName("name", graph.name);
  status.Update(CheckRange("unmanaged_peak_bytes", graph.unmanaged_peak_bytes,
                           0, kMaxTensorBytes));
  status.Update(CheckRange("processor_peak.flops_per_second",
                           graph.processor_peak.flops_per_second, 0, kMaxRate));
  status.Update(CheckRange("processor_peak.bytes_per_second",
                           graph.processor_peak.bytes_per_second, 0, kMaxRate));
  if (graph.kernels.empty()) {
    status.Update(absl::InvalidArgumentError(
        "kernels is empty; a graph has at least one kernel"));
  }
  for (int i = 0; status.ok() && i < graph.tensor_count(); ++i) {
    status = CheckTensor(graph, i);
  }
  std::vector<KernelIndex> last_kernel(graph.tensors.size(), -1);
  for (int i = 0; status.ok() && i < graph.kernel_count(); ++i) {
    status = CheckKernel(graph, i);
    if (status.ok()) status = CheckRepeatedOperands(graph, i, last_kernel);
  }
  if (status.ok()) status = CheckChoosableWorkspaces(graph);
  if (status.ok()) status = CheckBytes(graph);
  if (status.ok()) status = CheckTimes(graph);
  return status;
}

}  // namespace stowage::policies
