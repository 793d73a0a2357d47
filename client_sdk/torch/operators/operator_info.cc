#include "client_sdk/torch/operators/operator_info.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "client_sdk/session/hash.h"

namespace stowage::torch_plugin {
namespace {

bool IsDeclaredWritten(const c10::Argument& argument) {
  return argument.alias_info() && argument.alias_info()->isWrite();
}

// Returns whether the operator writes `argument` although its schema does not
// say so: batch normalisation writes its running statistics, randomised ReLU
// its noise.
bool WrittenInSpiteOfSchema(const std::string& name,
                            const std::string& argument) {
  if (argument == "noise") {
    return name == "aten::rrelu_with_noise" ||
           name == "aten::rrelu_with_noise_";
  }
  return argument == "running_mean" || argument == "running_var";
}

// Returns whether the schema leaves open what is written: it was inferred from a
// C++ function, or an extension's operator has no other effect.
bool MayWriteAny(const c10::FunctionSchema& schema) {
  if (schema.aliasAnalysis() == c10::AliasAnalysisKind::CONSERVATIVE) {
    return true;
  }
  const auto& arguments = schema.arguments();
  return schema.returns().empty() && schema.name().rfind("aten::", 0) != 0 &&
         std::none_of(arguments.begin(), arguments.end(), IsDeclaredWritten);
}

bool IsView(const c10::FunctionSchema& schema) {
  if (schema.returns().empty()) return false;
  for (const auto& argument : schema.arguments()) {
    if (IsDeclaredWritten(argument)) return false;
  }
  for (const auto& result : schema.returns()) {
    if (!result.alias_info()) return false;
  }
  return true;
}

// Returns whether the operator reads or sets numbers beside a sparse tensor's
// parts, and leaves the parts alone.
bool IsOfSparseShape(const std::string& name) {
  static const auto* names = new std::unordered_set<std::string>{
      "aten::sparse_dim", "aten::_dimI", "aten::dense_dim",
      "aten::_dimV",      "aten::_nnz",  "aten::is_coalesced",
      "aten::_coalesced_"};
  return names->count(name) > 0;
}

OperatorInfo::Flops FlopsOf(const std::string& name) {
  using Flops = OperatorInfo::Flops;
  static const auto* kinds = new std::unordered_map<std::string, Flops>{
      {"aten::mm", Flops::kMatmul},
      {"aten::bmm", Flops::kMatmul},
      {"aten::addmm", Flops::kAddMatmul},
      {"aten::baddbmm", Flops::kAddMatmul},
      {"aten::convolution", Flops::kConvolution},
      {"aten::mkldnn_convolution", Flops::kConvolution},
      {"aten::_slow_conv2d_forward", Flops::kConvolution},
      {"aten::thnn_conv2d", Flops::kConvolution}};
  auto kind = kinds->find(name);
  return kind == kinds->end() ? Flops::kUnknown : kind->second;
}

// Returns whether the operator allocates a copy of an argument, to whose rows and
// columns it comes back: recurrent layers lay out their weights anew. LU factors
// its copy by halves, and is left out: what it is at fits a smaller window.
bool WorksOnCopy(const std::string& name) {
  return name.rfind("aten::_fft_", 0) == 0 ||
         name.rfind("aten::mkldnn_rnn_layer", 0) == 0 ||
         name == "aten::linalg_cholesky_ex" ||
         name == "aten::linalg_solve_triangular";
}

bool ReadsByIndices(const std::string& name) {
  return name == "aten::embedding" || name == "aten::gather" ||
         name == "aten::index" || name == "aten::index_select" ||
         name == "aten::take";
}

OperatorInfo Read(const c10::FunctionSchema& schema) {
  OperatorInfo info;
  info.name = schema.name();
  info.flops = FlopsOf(info.name);
  info.works_on_copy = WorksOnCopy(info.name);
  info.reads_by_indices = ReadsByIndices(info.name);
  info.bookkeeping = info.name.rfind("profiler::", 0) == 0 ||
                     info.name.rfind("stowage::", 0) == 0 ||
                     IsOfSparseShape(info.name);
  info.composite = info.name.rfind("_c10d_functional", 0) == 0;
  info.outlives_call = info.name.rfind("c10d::", 0) == 0;
  if (!schema.overload_name().empty()) {
    info.name += "." + schema.overload_name();
  }
  info.key = session::HashString(info.name);
  info.view = IsView(schema);
  const bool may_write_any = info.outlives_call || MayWriteAny(schema);
  for (const auto& argument : schema.arguments()) {
    info.writes.push_back(
        may_write_any || IsDeclaredWritten(argument) ||
        WrittenInSpiteOfSchema(schema.name(), argument.name()));
  }
  return info;
}

}  // namespace

const OperatorInfo& InfoOf(const c10::OperatorHandle& op) {
  // Entries are never removed, because profiles under way point to the names.
  thread_local auto* infos =
      new std::unordered_map<const c10::FunctionSchema*, OperatorInfo*>();
  OperatorInfo*& info = (*infos)[&op.schema()];
  if (info == nullptr) info = new OperatorInfo(Read(op.schema()));
  return *info;
}

}  // namespace stowage::torch_plugin
