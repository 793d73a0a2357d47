// Finds the operator calls of a trace that may become kernels.
//
//   for (const OperatorCall& call : OutermostCalls(trace)) {
//     std::cout << trace.nodes[call.node].name << "\n";
//   }
//
// A call is outermost if no operator encloses it. Autograd's nodes, module
// names and annotations do not count as operators. What a call calls inside is
// part of it, as the runtime's hook sees it.
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

// Returns the calls by id, that is, in the order in which they began.
std::vector<OperatorCall> OutermostCalls(const ExecutionTrace& trace);

// What the schema says of an argument; without a schema, what the name says.
struct ArgumentEffect {
  bool read = true;
  bool write = false;
};

// Returns the effect on each input of the node.
std::vector<ArgumentEffect> InputEffects(const TraceNode& node);

// Returns whether the node allocates without touching, as aten::empty does.
bool IsAllocation(const TraceNode& node);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_IMPORT_OPERATOR_CALL_H_
