#include "tools/stowage/import/profiled_graph.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/stowage/inputs/json_input.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

constexpr char kFast[] = "duration_ns";
constexpr char kInputsFaulted[] = "inputs_faulted_duration_ns";
constexpr char kAllFaulted[] = "all_faulted_duration_ns";

void SetMeasured(const json& duration_ns, v1::ProfiledDuration& corner) {
  corner.set_duration_ns(WholeNumber<int64_t>(duration_ns));
  corner.set_source(v1::DURATION_SOURCE_MEASURED);
}

// Sets the corners that the kernel has. The others are derived later for the
// memory system.
void SetCorners(const json& kernel, v1::KernelProfile& profile) {
  SetMeasured(kernel.at(kFast), *profile.mutable_fast_inputs_fast_outputs());
  if (kernel.contains(kInputsFaulted)) {
    SetMeasured(kernel[kInputsFaulted],
                *profile.mutable_slow_inputs_fast_outputs());
  }
  if (kernel.contains(kAllFaulted)) {
    SetMeasured(kernel[kAllFaulted],
                *profile.mutable_slow_inputs_slow_outputs());
  }
}

void NoteMissing(const json& kernels, const char* field,
                 std::vector<std::string>& notes) {
  const auto missing = absl::c_count_if(
      kernels, [&](const json& kernel) { return !kernel.contains(field); });
  if (missing == 0) return;
  notes.push_back(absl::StrCat(
      missing, " of ", kernels.size(), " kernels have no ", field,
      "; it is derived from duration_ns for the memory system at hand"));
}

void AddOperands(const json& kernel, v1::Kernel& out) {
  for (const json& tensor : kernel.at("inputs")) {
    v1::Operand& operand = *out.add_operands();
    operand.set_tensor(WholeNumber<int32_t>(tensor));
    operand.set_read(true);
  }
  // The graph's reader merges a tensor that is both input and output.
  for (const json& tensor : kernel.at("outputs")) {
    v1::Operand& operand = *out.add_operands();
    operand.set_tensor(WholeNumber<int32_t>(tensor));
    operand.set_write(true);
  }
}

void AddKernel(const json& kernel, v1::Graph& graph) {
  v1::Kernel& out = *graph.add_kernels();
  out.set_name(kernel.at("name").get<std::string>());
  out.set_layer(WholeNumber<int32_t>(kernel.at("layer")));
  AddOperands(kernel, out);
  SetCorners(kernel, *out.mutable_profile());
}

void AddTensor(const json& tensor, v1::Graph& graph) {
  v1::Tensor& out = *graph.add_tensors();
  out.set_size_bytes(WholeNumber<int64_t>(tensor.at("bytes")));
  out.set_persistent(tensor.at("persistent").get<bool>());
}

// Sets the kinds of tensors: a persistent one is a weight, one that a single
// kernel names is its scratch, and one that a backward kernel names first is a
// gradient.
void SetKinds(v1::Graph& graph) {
  std::vector<int> first(graph.tensors_size(), -1);
  std::vector<bool> shared(graph.tensors_size(), false);
  for (int k = 0; k < graph.kernels_size(); ++k) {
    for (const v1::Operand& operand : graph.kernels(k).operands()) {
      const int32_t tensor = operand.tensor();
      if (tensor < 0 || tensor >= graph.tensors_size()) continue;
      if (first[tensor] < 0) first[tensor] = k;
      if (first[tensor] != k) shared[tensor] = true;
    }
  }
  for (int t = 0; t < graph.tensors_size(); ++t) {
    v1::Tensor& tensor = *graph.mutable_tensors(t);
    if (tensor.persistent()) {
      tensor.set_kind(v1::TENSOR_KIND_WEIGHT);
    } else if (first[t] >= 0 && !shared[t]) {
      tensor.set_kind(v1::TENSOR_KIND_WORKSPACE);
    } else if (first[t] >= 0 &&
               absl::StrContains(graph.kernels(first[t]).name(), "Backward")) {
      tensor.set_kind(v1::TENSOR_KIND_GRADIENT);
    } else {
      tensor.set_kind(v1::TENSOR_KIND_ACTIVATION);
    }
  }
}

}  // namespace

bool IsProfiledGraph(const json& document) {
  if (!document.is_object() || !document.contains("kernels")) return false;
  const json& kernels = document["kernels"];
  return kernels.is_array() && !kernels.empty() && kernels[0].is_object() &&
         kernels[0].contains(kFast);
}

absl::StatusOr<ImportedGraph> ReadProfiledGraph(const json& document) {
  return ReadFields<ImportedGraph>([&] {
    ImportedGraph imported{.format = "profiled graph (A100)"};
    v1::Graph& graph = imported.graph;
    graph.set_schema_version(1);
    graph.set_name(GraphNameFrom(document.at("name").get<std::string>()));
    graph.set_source("imported from the public artifact of G10 (MICRO'23)");
    graph.set_processor("A100");
    for (const json& tensor : document.at("tensors")) AddTensor(tensor, graph);
    for (const json& kernel : document.at("kernels")) AddKernel(kernel, graph);
    SetKinds(graph);
    NoteMissing(document.at("kernels"), kInputsFaulted, imported.notes);
    NoteMissing(document.at("kernels"), kAllFaulted, imported.notes);
    return imported;
  });
}

}  // namespace stowage::cli
