#include "policies/intervals/visit.h"

#include <algorithm>

namespace stowage::policies {
namespace {

bool IsLeftSlow(const Workload& workload, KernelIndex k, TensorIndex t) {
  const std::vector<TensorIndex>& left = workload.left_slow[k];
  return std::binary_search(left.begin(), left.end(), t);
}

void AddOperands(const Graph& graph, const Workload& workload,
                 const std::vector<bool>& managed, UseTable& table) {
  std::vector<int32_t> counts(graph.tensors.size());
  for (const Kernel& kernel : graph.kernels) {
    for (const Operand& operand : kernel.operands) ++counts[operand.tensor];
  }
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    if (managed[t]) table.uses[t].reserve(counts[t]);
  }
  for (KernelIndex k = 0; k < graph.kernel_count(); ++k) {
    for (const Operand& operand : graph.kernels[k].operands) {
      if (!managed[operand.tensor]) continue;
      table.uses[operand.tensor].push_back(
          {k, operand.write, IsLeftSlow(workload, k, operand.tensor)});
    }
  }
}

// Adds births that are no operand of their kernel.
void AddBirths(const Graph& graph, const Workload& workload,
               const std::vector<bool>& managed, UseTable& table) {
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (!managed[t] || tensor.persistent) continue;
    std::vector<Use>& uses = table.uses[t];
    const auto at = std::lower_bound(
        uses.begin(), uses.end(), tensor.birth_kernel,
        [](const Use& use, KernelIndex k) { return use.kernel < k; });
    if (at != uses.end() && at->kernel == tensor.birth_kernel) continue;
    uses.insert(at, {tensor.birth_kernel, false,
                     IsLeftSlow(workload, tensor.birth_kernel, t)});
  }
}

// Returns whether the first use after `before` can be the first of a life.
bool BirthBetween(const Tensor& tensor, KernelIndex before, KernelIndex use) {
  return !tensor.persistent && before < tensor.birth_kernel &&
         tensor.birth_kernel <= use;
}

void AddVisitsOf(TensorIndex t, const Tensor& tensor,
                 const Intervals& intervals, const std::vector<Use>& uses,
                 std::vector<Visit>& visits) {
  bool slow_before = false;
  KernelIndex before = -1;
  bool open = false;  // the use before belongs to the last visit
  for (size_t i = 0; i < uses.size(); ++i) {
    const Use& use = uses[i];
    const int32_t interval = intervals.of_kernel[use.kernel];
    const bool birth = BirthBetween(tensor, before, use.kernel);
    if (birth) slow_before = false;
    before = use.kernel;
    if (use.slow) {
      slow_before = true;
      open = false;
      continue;
    }
    if (!open || birth || visits.back().interval != interval) {
      Visit visit{.tensor = t, .interval = interval};
      visit.first_use = static_cast<int32_t>(i);
      visit.born =
          birth && intervals.of_kernel[tensor.birth_kernel] == interval;
      visit.apart = birth || slow_before;
      visits.push_back(visit);
      open = true;
    }
    visits.back().last_use = static_cast<int32_t>(i);
    slow_before = false;
  }
}

}  // namespace

UseTable FindVisits(const Graph& graph, const Workload& workload,
                    const Intervals& intervals,
                    const std::vector<bool>& managed, bool births) {
  UseTable table;
  table.uses.resize(graph.tensors.size());
  table.visits.resize(intervals.count());
  table.accesses = CountAccesses(graph);
  AddOperands(graph, workload, managed, table);
  if (births) AddBirths(graph, workload, managed, table);
  std::vector<Visit> visits;  // by tensor
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    AddVisitsOf(t, graph.tensors[t], intervals, table.uses[t], visits);
  }
  std::vector<int32_t> counts(intervals.count());
  for (const Visit& visit : visits) ++counts[visit.interval];
  for (int32_t i = 0; i < intervals.count(); ++i) {
    table.visits[i].reserve(counts[i]);
  }
  for (const Visit& visit : visits) {
    table.visits[visit.interval].push_back(visit);
  }
  return table;
}

std::vector<int64_t> CountAccesses(const Graph& graph) {
  std::vector<int64_t> accesses(graph.tensors.size());
  for (const Kernel& kernel : graph.kernels) {
    for (const Operand& operand : kernel.operands) {
      accesses[operand.tensor] += operand.access_count;
    }
  }
  return accesses;
}

}  // namespace stowage::policies
