#include "tools/stowage/import/trace_node.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/stowage/inputs/json_input.h"

namespace stowage::cli {
namespace {

using nlohmann::json;

constexpr size_t kTensorFields = 6;
constexpr int64_t kMaxCount = int64_t{1} << 48;

// The names under which a layout keeps what a node has.
struct Fields {
  const json* input_values;
  const json* input_shapes;
  const json* output_values;
  const json* output_shapes;
  const json* parent;
  std::string schema;
};

struct ParsedNode {
  TraceNode node;
  int64_t parent_id = 0;
};

bool IsNested(const std::string& schema) {
  return absl::StrContains(schema, "chakra") &&
         (absl::StartsWith(schema, "1.0.") || absl::StartsWith(schema, "1.1."));
}

bool IsFlat(const std::string& schema) {
  return schema == "1.0.0" || schema == "1.0.1";
}

std::string AttributeText(const json& attributes, const char* name) {
  for (const json& attribute : attributes) {
    if (attribute.at("name") == name) {
      const json& value = attribute.at("value");
      return value.is_string() ? value.get<std::string>() : "";
    }
  }
  return "";
}

Fields NestedFields(const json& node) {
  return {.input_values = &node.at("inputs").at("values"),
          .input_shapes = &node.at("inputs").at("shapes"),
          .output_values = &node.at("outputs").at("values"),
          .output_shapes = &node.at("outputs").at("shapes"),
          .parent = &node.at("ctrl_deps"),
          .schema = AttributeText(node.at("attrs"), "op_schema")};
}

Fields FlatFields(const json& node) {
  return {.input_values = &node.at("inputs"),
          .input_shapes = &node.at("input_shapes"),
          .output_values = &node.at("outputs"),
          .output_shapes = &node.at("output_shapes"),
          .parent = &node.at("parent"),
          .schema = node.value("op_schema", "")};
}

bool IsTensorTuple(const json& value) {
  if (!value.is_array() || value.size() < kTensorFields) return false;
  for (size_t i = 0; i + 1 < kTensorFields; ++i) {
    if (!value[i].is_number_integer()) return false;
  }
  return value[kTensorFields - 1].is_string();
}

void CollectTensors(const json& value, std::vector<TensorRef>& tensors) {
  if (IsTensorTuple(value)) {
    tensors.push_back({.tensor_id = value[0].get<int64_t>(),
                       .storage_id = value[1].get<int64_t>(),
                       .offset_elements = WholeNumber<int64_t>(value[2]),
                       .element_count = WholeNumber<int64_t>(value[3]),
                       .element_bytes = WholeNumber<int64_t>(value[4]),
                       .device = value[5].get<std::string>()});
  } else if (value.is_array()) {
    for (const json& item : value) {
      if (item.is_array()) CollectTensors(item, tensors);
    }
  }
}

std::vector<int64_t> ShapeFrom(const json& shape) {
  std::vector<int64_t> result;
  if (!shape.is_array()) return result;
  for (const json& extent : shape) {
    if (!extent.is_number_integer()) return {};  // the shapes of a list
    result.push_back(WholeNumber<int64_t>(extent));
  }
  return result;
}

std::vector<TraceArgument> ArgumentsFrom(const json& values,
                                         const json& shapes) {
  std::vector<TraceArgument> arguments;
  for (size_t i = 0; i < values.size(); ++i) {
    TraceArgument argument;
    CollectTensors(values[i], argument.tensors);
    if (i < shapes.size()) argument.shape = ShapeFrom(shapes[i]);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

ParsedNode NodeFrom(const json& node, bool nested) {
  Fields fields = nested ? NestedFields(node) : FlatFields(node);
  return {.node = {.id = WholeNumber<int64_t>(node.at("id")),
                   .name = node.at("name").get<std::string>(),
                   .schema = std::move(fields.schema),
                   .inputs = ArgumentsFrom(*fields.input_values,
                                           *fields.input_shapes),
                   .outputs = ArgumentsFrom(*fields.output_values,
                                            *fields.output_shapes)},
          .parent_id = WholeNumber<int64_t>(*fields.parent)};
}

absl::Status CheckTensors(const TraceNode& node,
                          const std::vector<TraceArgument>& arguments) {
  for (const TraceArgument& argument : arguments) {
    for (const TensorRef& t : argument.tensors) {
      const auto [least, most] =
          std::minmax({t.offset_elements, t.element_count, t.element_bytes});
      if (least >= 0 && most <= kMaxCount && t.element_bytes <= 64) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", node.id, " (", node.name, ") has tensor ", t.tensor_id,
          " with offset ", t.offset_elements, ", ", t.element_count,
          " elements of ", t.element_bytes,
          " bytes: a size is negative or too large; correct the trace there"));
    }
  }
  return absl::OkStatus();
}

using IndexById = absl::flat_hash_map<int64_t, int>;

absl::StatusOr<IndexById> IndexNodes(const std::vector<ParsedNode>& parsed) {
  IndexById index_of;
  for (int i = 0; i < std::ssize(parsed); ++i) {
    if (index_of.emplace(parsed[i].node.id, i).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("node id ", parsed[i].node.id,
                     " occurs twice; merge or capture the trace again"));
  }
  return index_of;
}

// Resolves parents by id. `parsed` is sorted by id.
absl::StatusOr<ExecutionTrace> Link(std::vector<ParsedNode> parsed) {
  const absl::StatusOr<IndexById> index_of = IndexNodes(parsed);
  if (!index_of.ok()) return index_of.status();
  ExecutionTrace trace;
  for (ParsedNode& entry : parsed) {
    TraceNode& node = entry.node;
    const bool root = entry.parent_id == node.id || entry.parent_id == 0;
    const auto parent = index_of->find(entry.parent_id);
    if (!root && parent == index_of->end()) {
      if (trace.orphan_count++ == 0) trace.first_orphan_id = node.id;
    } else if (!root && entry.parent_id > node.id) {
      return absl::InvalidArgumentError(absl::StrCat(
          "node ", node.id, " (", node.name, ") names parent ", entry.parent_id,
          ", which begins after it: the calls are cyclic or "
          "out of order; capture the trace again"));
    } else if (!root) {
      node.parent = parent->second;
    }
    trace.nodes.push_back(std::move(node));
  }
  return trace;
}

absl::StatusOr<std::vector<ParsedNode>> ParseNodes(const json& document,
                                                   bool nested) {
  return ReadFields<std::vector<ParsedNode>>([&] {
    std::vector<ParsedNode> parsed;
    for (const json& node : document.at("nodes")) {
      parsed.push_back(NodeFrom(node, nested));
    }
    return parsed;
  });
}

}  // namespace

bool IsExecutionTrace(const json& document) {
  return document.is_object() && document.contains("nodes") &&
         document.contains("schema");
}

absl::StatusOr<ExecutionTrace> ReadExecutionTrace(const json& document) {
  const std::string schema = document["schema"].is_string()
                                 ? document["schema"].get<std::string>()
                                 : document["schema"].dump();
  if (!IsNested(schema) && !IsFlat(schema)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "schema is '", schema,
        "'; execution traces of schema 1.0.0, 1.0.1, "
        "1.0.x-chakra and 1.1.x-chakra are read: capture with such a PyTorch"));
  }
  absl::StatusOr<std::vector<ParsedNode>> parsed =
      ParseNodes(document, IsNested(schema));
  if (!parsed.ok()) return parsed.status();
  for (const ParsedNode& entry : *parsed) {
    for (const auto* arguments : {&entry.node.inputs, &entry.node.outputs}) {
      absl::Status checked = CheckTensors(entry.node, *arguments);
      if (!checked.ok()) return checked;
    }
  }
  std::stable_sort(parsed->begin(), parsed->end(),
                   [](const ParsedNode& a, const ParsedNode& b) {
                     return a.node.id < b.node.id;
                   });
  absl::StatusOr<ExecutionTrace> trace = Link(*std::move(parsed));
  if (trace.ok()) trace->schema = schema;
  return trace;
}

}  // namespace stowage::cli
