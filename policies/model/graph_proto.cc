#include "policies/model/graph_proto.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/model/graph_validation.h"

namespace stowage::policies {
namespace {

constexpr int kMaxCount = 1'000'000;
constexpr int64_t kMaxOperands = 20'000'000;

absl::Status CheckCounts(const v1::Graph& proto) {
  if (proto.schema_version() != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat("schema_version is ", proto.schema_version(),
                     "; this version reads schema 1"));
  }
  if (proto.kernels_size() > kMaxCount || proto.tensors_size() > kMaxCount) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the graph has ", proto.kernels_size(), " kernels and ",
                     proto.tensors_size(), " tensors; at most ", kMaxCount,
                     " of each are read, capture a single step"));
  }
  int64_t operands = 0;
  for (const v1::Kernel& kernel : proto.kernels()) {
    operands += kernel.operands_size();
  }
  if (operands <= kMaxOperands) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("the kernels have ", operands, " operands; at most ",
                   kMaxOperands, " are read, capture a single step"));
}

absl::Status ReadDuration(const std::string& place,
                          const v1::ProfiledDuration& proto,
                          ProfiledDuration& duration) {
  if (!v1::DurationSource_IsValid(proto.source())) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ".source is ", static_cast<int>(proto.source()),
        "; use a DURATION_SOURCE of proto/stowage/v1/graph.proto"));
  }
  if (proto.source() == v1::DURATION_SOURCE_UNSPECIFIED) {
    return absl::OkStatus();
  }
  duration = {proto.duration_ns(), static_cast<DurationSource>(proto.source())};
  return absl::OkStatus();
}

absl::Status ReadProfile(const std::string& place,
                         const v1::KernelProfile& proto,
                         KernelProfile& profile) {
  absl::Status status = ReadDuration(place + ".fast_inputs_fast_outputs",
                                     proto.fast_inputs_fast_outputs(),
                                     profile.fast_inputs_fast_outputs);
  status.Update(ReadDuration(place + ".fast_inputs_slow_outputs",
                             proto.fast_inputs_slow_outputs(),
                             profile.fast_inputs_slow_outputs));
  status.Update(ReadDuration(place + ".slow_inputs_fast_outputs",
                             proto.slow_inputs_fast_outputs(),
                             profile.slow_inputs_fast_outputs));
  status.Update(ReadDuration(place + ".slow_inputs_slow_outputs",
                             proto.slow_inputs_slow_outputs(),
                             profile.slow_inputs_slow_outputs));
  return status;
}

// Merges two entries for one tensor; access counts add up.
void Merge(const Operand& from, Operand& into) {
  into.read |= from.read;
  into.write |= from.write;
  into.streamed |= from.streamed;
  const int64_t count = int64_t{into.access_count} + from.access_count;
  into.access_count = static_cast<int32_t>(std::min<int64_t>(count, INT32_MAX));
}

absl::Status CheckOperandProto(const v1::Operand& operand,
                               const std::string& place, int tensor_count) {
  if (operand.tensor() < 0 || operand.tensor() >= tensor_count) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, ".tensor is ", operand.tensor(), ", but the graph has ",
        tensor_count, " tensors; use 0 to ", tensor_count - 1));
  }
  if (!operand.read() && !operand.write()) {
    return absl::InvalidArgumentError(absl::StrCat(
        place, " is neither read nor written; set one of them or remove it"));
  }
  if (operand.access_count() >= 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(place, ".access_count is ", operand.access_count(),
                   "; it must not be negative, 0 means 1"));
}

absl::StatusOr<std::vector<Operand>> OperandsFromProto(const v1::Kernel& proto,
                                                       const std::string& place,
                                                       int tensor_count) {
  std::vector<Operand> operands;
  absl::flat_hash_map<TensorIndex, size_t> positions;
  for (int i = 0; i < proto.operands_size(); ++i) {
    const v1::Operand& from = proto.operands(i);
    absl::Status status = CheckOperandProto(
        from, absl::StrCat(place, ".operands[", i, "]"), tensor_count);
    if (!status.ok()) return status;
    const Operand operand{from.tensor(),   from.read(),
                          from.write(),    std::max(1, from.access_count()),
                          from.streamed(), from.scattered()};
    const auto [position, added] =
        positions.try_emplace(operand.tensor, operands.size());
    if (added) {
      operands.push_back(operand);
    } else {
      Merge(operand, operands[position->second]);
    }
  }
  return operands;
}

absl::Status ReadAlternatives(const std::string& place, const v1::Kernel& proto,
                              Kernel& kernel) {
  for (int i = 0; i < proto.alternatives_size(); ++i) {
    const v1::KernelImplementation& from = proto.alternatives(i);
    KernelImplementation alternative{.name = from.name(),
                                     .workspace_bytes = from.workspace_bytes()};
    absl::Status status =
        ReadProfile(absl::StrCat(place, ".alternatives[", i, "].profile"),
                    from.profile(), alternative.profile);
    if (!status.ok()) return status;
    kernel.alternatives.push_back(std::move(alternative));
  }
  return absl::OkStatus();
}

absl::StatusOr<Kernel> KernelFromProto(const v1::Kernel& proto, int index,
                                       int tensor_count) {
  const std::string place = absl::StrCat("kernels[", index, "]");
  absl::StatusOr<std::vector<Operand>> operands =
      OperandsFromProto(proto, place, tensor_count);
  if (!operands.ok()) return operands.status();
  Kernel kernel;
  kernel.name = proto.name();
  kernel.layer = proto.layer();
  kernel.operands = *std::move(operands);
  kernel.flops = proto.flops();
  kernel.gap_ns = proto.gap_ns();
  kernel.streamed = {.bytes = proto.streamed().bytes(),
                     .duration_ns = proto.streamed().duration_ns(),
                     .window_bytes = proto.streamed().window_bytes()};
  absl::Status status =
      ReadProfile(place + ".profile", proto.profile(), kernel.profile);
  if (status.ok()) status = ReadAlternatives(place, proto, kernel);
  if (!status.ok()) return status;
  return kernel;
}

// Returns the sums, or as much as can be added without an overflow.
MeasuredStreaming SumOfStreaming(const Graph& graph) {
  MeasuredStreaming sum;
  for (const Kernel& kernel : graph.kernels) {
    const MeasuredStreaming& one = kernel.streamed;
    if (one.bytes <= 0 || one.bytes > INT64_MAX - sum.bytes ||
        one.duration_ns > INT64_MAX - sum.duration_ns) {
      continue;
    }
    sum.bytes += one.bytes;
    sum.duration_ns += one.duration_ns;
  }
  return sum;
}

struct Uses {
  KernelIndex first = -1;
  KernelIndex last = -1;
};

std::vector<Uses> FindUses(const Graph& graph, int tensor_count) {
  std::vector<Uses> uses(tensor_count);
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      Uses& use = uses[operand.tensor];
      if (use.first < 0) use.first = k;
      use.last = k;
    }
  }
  return uses;
}

absl::Status SetLifetime(const v1::Tensor& proto, const std::string& place,
                         const Uses& uses, Tensor& tensor) {
  const bool given = proto.has_birth_kernel() || proto.has_death_kernel();
  if (proto.persistent()) {
    if (!given) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat(place,
                     " is persistent and has a birth_kernel or a "
                     "death_kernel; remove one or the other"));
  }
  if (uses.first < 0 &&
      !(proto.has_birth_kernel() && proto.has_death_kernel())) {
    return absl::InvalidArgumentError(absl::StrCat(
        place,
        " is used by no kernel and its lifetime is not given; set "
        "birth_kernel and death_kernel, or persistent, or remove it"));
  }
  tensor.birth_kernel =
      proto.has_birth_kernel() ? proto.birth_kernel() : uses.first;
  tensor.death_kernel =
      proto.has_death_kernel() ? proto.death_kernel() : uses.last;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> TensorFromProto(const v1::Tensor& proto, int index,
                                       const Uses& uses) {
  const std::string place = absl::StrCat("tensors[", index, "]");
  if (!v1::TensorKind_IsValid(proto.kind())) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ".kind is ", static_cast<int>(proto.kind()),
                     "; use a TENSOR_KIND of proto/stowage/v1/graph.proto"));
  }
  Tensor tensor;
  tensor.size_bytes = proto.size_bytes();
  tensor.kind = static_cast<TensorKind>(proto.kind());
  tensor.persistent = proto.persistent();
  tensor.name = proto.name();
  tensor.pinned = proto.pinned();
  absl::Status status = SetLifetime(proto, place, uses, tensor);
  if (!status.ok()) return status;
  return tensor;
}

void DurationToProto(const ProfiledDuration& duration,
                     v1::ProfiledDuration& proto) {
  proto.set_duration_ns(duration.duration_ns);
  proto.set_source(static_cast<v1::DurationSource>(duration.source));
}

void ProfileToProto(const KernelProfile& profile, v1::KernelProfile& proto) {
  DurationToProto(profile.fast_inputs_fast_outputs,
                  *proto.mutable_fast_inputs_fast_outputs());
  DurationToProto(profile.fast_inputs_slow_outputs,
                  *proto.mutable_fast_inputs_slow_outputs());
  DurationToProto(profile.slow_inputs_fast_outputs,
                  *proto.mutable_slow_inputs_fast_outputs());
  DurationToProto(profile.slow_inputs_slow_outputs,
                  *proto.mutable_slow_inputs_slow_outputs());
}

void KernelToProto(const Kernel& kernel, v1::Kernel& proto) {
  proto.set_name(kernel.name);
  proto.set_layer(kernel.layer);
  proto.set_flops(kernel.flops);
  proto.set_gap_ns(kernel.gap_ns);
  ProfileToProto(kernel.profile, *proto.mutable_profile());
  if (kernel.streamed.bytes > 0) {
    proto.mutable_streamed()->set_bytes(kernel.streamed.bytes);
    proto.mutable_streamed()->set_duration_ns(kernel.streamed.duration_ns);
    proto.mutable_streamed()->set_window_bytes(kernel.streamed.window_bytes);
  }
  for (const KernelImplementation& alternative : kernel.alternatives) {
    v1::KernelImplementation& added = *proto.add_alternatives();
    added.set_name(alternative.name);
    ProfileToProto(alternative.profile, *added.mutable_profile());
    added.set_workspace_bytes(alternative.workspace_bytes);
  }
  for (const Operand& operand : kernel.operands) {
    v1::Operand& added = *proto.add_operands();
    added.set_tensor(operand.tensor);
    added.set_read(operand.read);
    added.set_write(operand.write);
    added.set_access_count(operand.access_count);
    added.set_streamed(operand.streamed);
    added.set_scattered(operand.scattered);
  }
}

void TensorToProto(const Tensor& tensor, v1::Tensor& proto) {
  proto.set_size_bytes(tensor.size_bytes);
  proto.set_kind(static_cast<v1::TensorKind>(tensor.kind));
  proto.set_persistent(tensor.persistent);
  proto.set_name(tensor.name);
  proto.set_pinned(tensor.pinned);
  if (tensor.persistent) return;
  proto.set_birth_kernel(tensor.birth_kernel);
  proto.set_death_kernel(tensor.death_kernel);
}

}  // namespace

absl::StatusOr<Graph> GraphFromProto(const v1::Graph& proto) {
  absl::Status status = CheckCounts(proto);
  if (!status.ok()) return status;
  Graph graph;
  graph.name = proto.name();
  graph.source = proto.source();
  graph.processor = proto.processor();
  graph.unmanaged_peak_bytes = proto.unmanaged_peak_bytes();
  graph.processor_peak = {proto.processor_peak().flops_per_second(),
                          proto.processor_peak().bytes_per_second()};
  for (int i = 0; i < proto.kernels_size(); ++i) {
    absl::StatusOr<Kernel> kernel =
        KernelFromProto(proto.kernels(i), i, proto.tensors_size());
    if (!kernel.ok()) return kernel.status();
    graph.kernels.push_back(*std::move(kernel));
  }
  graph.streamed = SumOfStreaming(graph);
  const std::vector<Uses> uses = FindUses(graph, proto.tensors_size());
  for (int i = 0; i < proto.tensors_size(); ++i) {
    absl::StatusOr<Tensor> tensor =
        TensorFromProto(proto.tensors(i), i, uses[i]);
    if (!tensor.ok()) return tensor.status();
    graph.tensors.push_back(*std::move(tensor));
  }
  status = ValidateGraph(graph);
  if (!status.ok()) return status;
  return graph;
}

v1::Graph GraphToProto(const Graph& graph) {
  v1::Graph proto;
  proto.set_schema_version(1);
  proto.set_name(graph.name);
  proto.set_source(graph.source);
  proto.set_processor(graph.processor);
  proto.set_unmanaged_peak_bytes(graph.unmanaged_peak_bytes);
  if (graph.processor_peak != ProcessorPeak{}) {
    v1::ProcessorPeak& peak = *proto.mutable_processor_peak();
    peak.set_flops_per_second(graph.processor_peak.flops_per_second);
    peak.set_bytes_per_second(graph.processor_peak.bytes_per_second);
  }
  for (const Tensor& tensor : graph.tensors) {
    TensorToProto(tensor, *proto.add_tensors());
  }
  for (const Kernel& kernel : graph.kernels) {
    KernelToProto(kernel, *proto.add_kernels());
  }
  return proto;
}

}  // namespace stowage::policies
