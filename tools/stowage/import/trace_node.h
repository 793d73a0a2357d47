// Reads the nodes of a PyTorch execution trace. Both layouts, flat (schema
// 1.0.0 and 1.0.1) and nested (the "chakra" schemas 1.0.2 to 1.1), get one
// form.
//
//   absl::StatusOr<ExecutionTrace> trace = ReadExecutionTrace(document);
//
// Plain data.
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_NODE_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_NODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"

namespace stowage::cli {

// A tensor as a trace names it: a window of a storage.
struct TensorRef {
  int64_t tensor_id = 0;
  int64_t storage_id = 0;  // recycled: the same id may be another allocation
  int64_t offset_elements = 0;
  int64_t element_count = 0;
  int64_t element_bytes = 0;
  std::string device;

  // Returns the bytes from the storage's start to the window's end, if the
  // window is contiguous.
  int64_t extent_bytes() const {
    return (offset_elements + element_count) * element_bytes;
  }
};

struct TraceArgument {
  std::vector<TensorRef> tensors;  // several for a list of tensors
  std::vector<int64_t> shape;      // of a single tensor
};

struct TraceNode {
  int64_t id = 0;   // ascends with the time at which the call began
  int parent = -1;  // index of the calling node, -1 for a root
  std::string name;
  std::string schema;  // of the operator; empty for other nodes
  std::vector<TraceArgument> inputs;
  std::vector<TraceArgument> outputs;
};

struct ExecutionTrace {
  std::string schema;
  std::vector<TraceNode> nodes;  // by id
  // How many nodes have a parent that is not in the trace. They are read as
  // roots.
  int64_t orphan_count = 0;
  int64_t first_orphan_id = 0;
};

bool IsExecutionTrace(const nlohmann::json& document);

// Reads a trace. INVALID_ARGUMENT names the schema that is unknown, or the node
// that lacks a field or has one of another type, has the id of another one or a
// negative size, or has a parent that begins after it (a cycle).
absl::StatusOr<ExecutionTrace> ReadExecutionTrace(
    const nlohmann::json& document);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_TRACE_NODE_H_
