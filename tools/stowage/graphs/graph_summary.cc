#include "tools/stowage/graphs/graph_summary.h"

#include <algorithm>
#include <numeric>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "policies/model/graph_proto.h"
#include "policies/model/implementations.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/planning/workload.h"
#include "tools/stowage/output/table.h"
#include "tools/stowage/output/units.h"

namespace stowage::cli {
namespace {

const char* KindName(policies::TensorKind kind) {
  switch (kind) {
    case policies::TensorKind::kInput:
      return "input";
    case policies::TensorKind::kWeight:
      return "weight";
    case policies::TensorKind::kOptimizerState:
      return "optimizer state";
    case policies::TensorKind::kActivation:
      return "activation";
    case policies::TensorKind::kGradient:
      return "gradient";
    case policies::TensorKind::kWorkspace:
      return "workspace";
    case policies::TensorKind::kStreamWindow:
      return "stream window";
    case policies::TensorKind::kUnspecified:
      return "unspecified";
  }
  return "unspecified";
}

std::string Life(const policies::Tensor& tensor) {
  if (tensor.persistent) return "persistent";
  return absl::StrCat(tensor.birth_kernel, " to ", tensor.death_kernel,
                      tensor.wraps() ? " of the next step" : "");
}

std::vector<policies::TensorIndex> Largest(const policies::Graph& graph,
                                           size_t count) {
  std::vector<policies::TensorIndex> order(graph.tensors.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return graph.tensors[a].size_bytes > graph.tensors[b].size_bytes;
  });
  if (order.size() > count) order.resize(count);
  return order;
}

std::vector<LeastLimitFor> LeastLimits(const policies::Graph& graph) {
  std::vector<LeastLimitFor> limits;
  for (const std::string& name : policies::PresetNames()) {
    const absl::StatusOr<policies::MemorySystem> system =
        policies::PresetMemorySystem(name);
    if (!system.ok()) continue;
    limits.push_back({name, policies::FindLeastLimit(graph, *system).bytes});
  }
  return limits;
}

// Returns the first `count` kernels that may run in several ways.
Table ImplementationTable(const policies::Graph& graph, size_t count) {
  Table table({"kernel", "implementation", "all fast", "workspace"});
  const std::vector<policies::TensorIndex> workspaces =
      policies::ChoosableWorkspaces(graph);
  size_t listed = 0;
  for (policies::KernelIndex k = 0; k < graph.kernel_count() && listed < count;
       ++k) {
    const policies::Kernel& kernel = graph.kernels[k];
    if (kernel.alternatives.empty()) continue;
    ++listed;
    for (int32_t i = 0; i <= kernel.alternatives.size(); ++i) {
      table.AddRow(
          {i == 0 ? absl::StrCat(k, " (", kernel.name, ")") : "",
           i == 0 ? "0" : absl::StrCat(i, " ", kernel.alternatives[i - 1].name),
           FormatDurationNs(policies::ProfileOf(kernel, i)
                                .fast_inputs_fast_outputs.duration_ns),
           FormatBytes(policies::WorkspaceBytes(graph, k, workspaces[k], i))});
    }
  }
  return table;
}

// Says which processor the durations are of: `compare` and `train` show other
// times if the system has another one.
std::string DurationsText(const GraphSummary& summary) {
  if (!summary.durations_measured) return " (partly or all derived)";
  if (summary.processor.empty()) return " (measured)";
  return absl::StrCat(" (measured on ", summary.processor,
                      "; compare and train rehost to the system's processor)");
}

}  // namespace

GraphSummary Summarize(const policies::Graph& graph, size_t largest_count) {
  const policies::Liveness liveness = policies::ComputeLiveness(graph);
  GraphSummary summary{
      .name = graph.name,
      .graph_id = policies::GraphId(graph),
      .source = graph.source,
      .processor = graph.processor,
      .kernel_count = graph.kernel_count(),
      .tensor_count = graph.tensor_count(),
      .peak_bytes = liveness.peak_bytes,
      .peak_kernel = liveness.peak_kernel,
      .peak_kernel_name = graph.kernels[liveness.peak_kernel].name,
      .durations_measured = true,
      .least_limits = LeastLimits(graph),
      .largest = Largest(graph, largest_count)};
  for (const policies::Tensor& tensor : graph.tensors) {
    summary.all_tensor_bytes += tensor.size_bytes;
    if (tensor.persistent) summary.persistent_bytes += tensor.size_bytes;
  }
  for (const policies::Kernel& kernel : graph.kernels) {
    const policies::ProfiledDuration& fast =
        kernel.profile.fast_inputs_fast_outputs;
    summary.fast_duration_ns += kernel.gap_ns + fast.duration_ns;
    summary.durations_measured &=
        fast.source == policies::DurationSource::kMeasured;
    if (!kernel.alternatives.empty()) ++summary.choosable_kernel_count;
  }
  return summary;
}

nlohmann::json SummaryToJson(const GraphSummary& summary,
                             const policies::Graph& graph) {
  nlohmann::json json = {
      {"name", summary.name},
      {"graph_id", summary.graph_id},
      {"source", summary.source},
      {"processor", summary.processor},
      {"kernel_count", summary.kernel_count},
      {"choosable_kernel_count", summary.choosable_kernel_count},
      {"tensor_count", summary.tensor_count},
      {"peak_bytes", summary.peak_bytes},
      {"peak_kernel", summary.peak_kernel},
      {"peak_kernel_name", summary.peak_kernel_name},
      {"persistent_bytes", summary.persistent_bytes},
      {"all_tensor_bytes", summary.all_tensor_bytes},
      {"fast_duration_ns", summary.fast_duration_ns},
      {"durations_measured", summary.durations_measured},
      {"least_limit_bytes", nlohmann::json::object()},
      {"largest_tensors", nlohmann::json::array()},
  };
  for (const LeastLimitFor& least : summary.least_limits) {
    json["least_limit_bytes"][least.system] = least.least_bytes;
  }
  for (policies::TensorIndex t : summary.largest) {
    const policies::Tensor& tensor = graph.tensors[t];
    json["largest_tensors"].push_back({{"tensor", t},
                                       {"size_bytes", tensor.size_bytes},
                                       {"kind", KindName(tensor.kind)},
                                       {"persistent", tensor.persistent},
                                       {"birth_kernel", tensor.birth_kernel},
                                       {"death_kernel", tensor.death_kernel}});
  }
  return json;
}

std::string SummaryToText(const GraphSummary& summary,
                          const policies::Graph& graph) {
  std::string text = absl::StrCat(
      "graph       ", summary.name, "\nid          ", summary.graph_id,
      "\nsource      ", summary.source, "\nprocessor   ", summary.processor,
      "\nkernels     ", summary.kernel_count,
      summary.choosable_kernel_count > 0
          ? absl::StrCat(", ", summary.choosable_kernel_count,
                         " of them with several implementations")
          : "",
      "\ntensors     ", summary.tensor_count, ", ",
      FormatBytes(summary.all_tensor_bytes), " in all, ",
      FormatBytes(summary.persistent_bytes), " persistent", "\npeak        ",
      FormatBytes(summary.peak_bytes), " at kernel ", summary.peak_kernel, " (",
      summary.peak_kernel_name, ")", "\nall fast    ",
      FormatDurationNs(summary.fast_duration_ns), DurationsText(summary),
      "\n\nleast fast memory by system\n");
  Table least({"system", "least limit"});
  for (const LeastLimitFor& limit : summary.least_limits) {
    least.AddRow({limit.system, FormatBytes(limit.least_bytes)});
  }
  Table largest({"tensor", "size", "kind", "alive at kernels"});
  for (policies::TensorIndex t : summary.largest) {
    const policies::Tensor& tensor = graph.tensors[t];
    largest.AddRow({absl::StrCat(t), FormatBytes(tensor.size_bytes),
                    KindName(tensor.kind), Life(tensor)});
  }
  absl::StrAppend(&text, least.ToText(), "\nlargest tensors\n",
                  largest.ToText());
  if (summary.choosable_kernel_count > 0) {
    absl::StrAppend(
        &text, "\nimplementations of kernels\n",
        ImplementationTable(graph, summary.largest.size()).ToText());
  }
  return text;
}

}  // namespace stowage::cli
