#include "policies/scaling/batch_scaling.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/graph_validation.h"
#include "policies/model/implementations.h"
#include "policies/scaling/roofline.h"

namespace stowage::policies {
namespace {

constexpr TensorIndex kNone = -1;

absl::Status Differs(const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the two captures are not the same step: ", what,
      "; capture both with the same script, batches of at least 2 and close "
      "to each other"));
}

bool SameTensor(const Tensor& a, const Tensor& b) {
  return a.kind == b.kind && a.persistent == b.persistent &&
         a.pinned == b.pinned && a.birth_kernel == b.birth_kernel &&
         a.death_kernel == b.death_kernel;
}

bool IsWorkspace(const Tensor& tensor) {
  return tensor.kind == TensorKind::kWorkspace;
}

// Matches each tensor of the larger capture with one of the small capture, or
// with kNone: libraries take workspaces for some batches and not for others.
absl::StatusOr<std::vector<TensorIndex>> MatchTensors(const Graph& small,
                                                      const Graph& larger) {
  std::vector<TensorIndex> match(larger.tensors.size(), kNone);
  TensorIndex s = 0;
  for (TensorIndex t = 0; t < larger.tensor_count(); ++t) {
    const Tensor& tensor = larger.tensors[t];
    while (s < small.tensor_count() && IsWorkspace(small.tensors[s]) &&
           !SameTensor(small.tensors[s], tensor) &&
           (!IsWorkspace(tensor) ||
            small.tensors[s].birth_kernel < tensor.birth_kernel)) {
      ++s;
    }
    if (s < small.tensor_count() && SameTensor(small.tensors[s], tensor)) {
      match[t] = s++;
    } else if (!IsWorkspace(tensor)) {
      return Differs(absl::StrCat("tensors[", t,
                                  "] of the larger one is not in the small "
                                  "one, where it may be below the size from "
                                  "which storages are managed"));
    }
  }
  while (s < small.tensor_count() && IsWorkspace(small.tensors[s])) ++s;
  if (s == small.tensor_count()) return match;
  return Differs(absl::StrCat("tensors[", s,
                              "] of the small one is not in the larger one"));
}

bool SameKernel(const Kernel& small, const Kernel& larger,
                const std::vector<TensorIndex>& match) {
  return small.name == larger.name &&
         std::equal(small.operands.begin(), small.operands.end(),
                    larger.operands.begin(), larger.operands.end(),
                    [&](const Operand& s, const Operand& l) {
                      return s.tensor == match[l.tensor] && s.read == l.read &&
                             s.write == l.write;
                    });
}

absl::Status CheckSameKernels(const Graph& small, const Graph& larger,
                              const std::vector<TensorIndex>& match) {
  for (KernelIndex k = 0; k < larger.kernel_count(); ++k) {
    if (SameKernel(small.kernels[k], larger.kernels[k], match)) continue;
    return Differs(absl::StrCat("kernels[", k, "], ", small.kernels[k].name,
                                " and ", larger.kernels[k].name,
                                ", differ in name or operands"));
  }
  return absl::OkStatus();
}

absl::Status Check(const BatchCapture& small, const BatchCapture& larger,
                   int64_t batch) {
  if (small.batch < 1 || larger.batch <= small.batch || batch < larger.batch) {
    return absl::InvalidArgumentError(absl::StrCat(
        "batches are ", small.batch, ", ", larger.batch, " and ", batch,
        " for the result; they must ascend, the last two may be equal"));
  }
  if (!small.graph.processor_peak.known() ||
      small.graph.processor != larger.graph.processor) {
    return absl::InvalidArgumentError(
        "the captures must come from one processor whose peak they state; "
        "capture them again with this version");
  }
  if (HasAlternatives(small.graph) || HasAlternatives(larger.graph)) {
    return absl::InvalidArgumentError(
        "a capture offers several implementations of a kernel, and which of "
        "them is fast depends on the batch; remove the alternatives");
  }
  if (small.graph.kernel_count() != larger.graph.kernel_count()) {
    return Differs(absl::StrCat(small.graph.kernel_count(), " and ",
                                larger.graph.kernel_count(), " kernels"));
  }
  return absl::OkStatus();
}

int64_t TensorBytes(const Graph& graph) {
  int64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors) {
    if (!IsWorkspace(tensor)) bytes += tensor.size_bytes;
  }
  return bytes;
}

absl::Status CheckGrowth(const Graph& small, const Graph& larger) {
  const int64_t small_bytes = TensorBytes(small);
  const int64_t larger_bytes = TensorBytes(larger);
  if (larger_bytes > small_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the capture of the larger batch has ", larger_bytes,
                   " bytes of tensors and that of the small one ", small_bytes,
                   "; give two captures in the order of their batches"));
}

// Rounds; a value that int64_t does not hold becomes more than any valid graph
// has.
int64_t Rounded(double value) { return std::llround(std::min(value, 0x1p62)); }

// Continues the line through the two captures from the larger one. A value that
// shrinks, or that grows faster than the batch, is not linear: it is the
// workspace of a library that chose otherwise. It keeps its size.
class Extrapolation {
 public:
  Extrapolation(int64_t small, int64_t larger, int64_t wanted)
      : growth_(static_cast<double>(larger) / static_cast<double>(small)),
        steps_(static_cast<double>(wanted - larger) /
               static_cast<double>(larger - small)) {}

  int64_t At(int64_t small, int64_t larger) const {
    constexpr double kRounding = 1.01;
    const double most = static_cast<double>(small) * growth_ * kRounding;
    if (larger <= small || static_cast<double>(larger) > most) return larger;
    return Rounded(static_cast<double>(larger) +
                   static_cast<double>(larger - small) * steps_);
  }

 private:
  double growth_;
  double steps_;
};

double ShareOf(const Graph& graph, KernelIndex k, int64_t launch_ns) {
  const Kernel& kernel = graph.kernels[k];
  const int64_t duration_ns =
      kernel.profile.fast_inputs_fast_outputs.duration_ns;
  return ReachedShare(RooflineNs(WorkOf(graph, kernel), graph.processor_peak),
                      static_cast<double>(duration_ns - launch_ns));
}

void ScaleDurations(const Graph& small, const Graph& larger, Graph& graph) {
  const int64_t small_launch_ns = LaunchNs(small);
  const int64_t larger_launch_ns = LaunchNs(larger);
  const int64_t launch_ns = std::min(small_launch_ns, larger_launch_ns);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    Kernel& kernel = graph.kernels[k];
    const double roofline_ns =
        RooflineNs(WorkOf(graph, kernel), graph.processor_peak);
    const double share = std::max(ShareOf(small, k, small_launch_ns),
                                  ShareOf(larger, k, larger_launch_ns));
    if (roofline_ns > 0) {
      kernel.profile = {
          .fast_inputs_fast_outputs = {launch_ns + Rounded(roofline_ns / share),
                                       DurationSource::kRehosted}};
    }
    kernel.gap_ns = std::min(kernel.gap_ns, small.kernels[k].gap_ns);
  }
}

}  // namespace

absl::StatusOr<Graph> ScaleBatch(const BatchCapture& small,
                                 const BatchCapture& larger, int64_t batch) {
  absl::Status status = Check(small, larger, batch);
  if (!status.ok()) return status;
  const auto match = MatchTensors(small.graph, larger.graph);
  if (!match.ok()) return match.status();
  status = CheckSameKernels(small.graph, larger.graph, *match);
  if (!status.ok()) return status;
  status = CheckGrowth(small.graph, larger.graph);
  if (!status.ok()) return status;
  const Extrapolation linear(small.batch, larger.batch, batch);
  Graph graph = larger.graph;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if ((*match)[t] == kNone) continue;
    int64_t& size_bytes = graph.tensors[t].size_bytes;
    size_bytes =
        linear.At(small.graph.tensors[(*match)[t]].size_bytes, size_bytes);
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    graph.kernels[k].flops =
        linear.At(small.graph.kernels[k].flops, graph.kernels[k].flops);
  }
  ScaleDurations(small.graph, larger.graph, graph);
  absl::StrAppend(&graph.source, ", batches ", small.batch, " and ",
                  larger.batch, " scaled to ", batch);
  status = ValidateGraph(graph);
  if (status.ok()) return graph;
  return absl::InvalidArgumentError(
      absl::StrCat("batch ", batch, " is too large: ", status.message()));
}

}  // namespace stowage::policies
