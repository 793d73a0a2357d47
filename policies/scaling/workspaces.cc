#include "policies/scaling/workspaces.h"

#include <utility>
#include <vector>

namespace stowage::policies {

Graph WithoutWorkspaces(Graph graph) {
  std::vector<TensorIndex> new_index(graph.tensors.size(), -1);
  std::vector<Tensor> kept;
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (graph.tensors[t].kind == TensorKind::kWorkspace) continue;
    new_index[t] = static_cast<TensorIndex>(kept.size());
    kept.push_back(std::move(graph.tensors[t]));
  }
  graph.tensors = std::move(kept);
  for (Kernel& kernel : graph.kernels) {
    std::vector<Operand> operands;
    for (Operand operand : kernel.operands) {
      operand.tensor = new_index[operand.tensor];
      if (operand.tensor >= 0) operands.push_back(operand);
    }
    kernel.operands = std::move(operands);
    kernel.alternatives.clear();  // a choice changes the workspace alone
  }
  return graph;
}

}  // namespace stowage::policies
