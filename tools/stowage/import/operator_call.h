// The operator calls of a trace that may become kernels.
//
//   for (const OperatorCall& call : OutermostCalls(trace)) ...
//
// A call is outermost when no operator encloses it: autograd's nodes, module
// names and annotations do not count as operators. What it calls inside is part
// of it, as the runtime's hook sees it.
#ifndef STOWAGE_TOOLS_STOWAGE_IMPORT_OPERATOR_CALL_H_
#define STOWAGE_TOOLS_STOWAGE_IMPORT_OPERATOR_CALL_H_

#include <vector>

#include "tools/stowage/import/trace_node.h"

namespace stowage::cli {

enum class Phase { kForward, kBackward, kOptimizer };

struct OperatorCall {
  int node = 0;            // index into ExecutionTrace::nodes
  std::vector<int> inner;  // nodes that it called, by id
  Phase phase = Phase::kForward;
};

// By id, that is, in the order in which they began.
std::vector<OperatorCall> OutermostCalls(const ExecutionTrace& trace);

// What the schema (or the name, where there is none) says of an argument.
struct ArgumentEffect {
  bool read = true;
  bool write = false;
};

// One per input of the node.
std::vector<ArgumentEffect> InputEffects(const TraceNode& node);

// Allocates without touching: aten::empty and its kin.
bool IsAllocation(const TraceNode& node);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_OPERATOR_CALL_H_
