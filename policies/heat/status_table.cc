#include "policies/heat/status_table.h"

namespace stowage::policies {
namespace {

Position PositionOf(const Placement& placement) {
  return placement.tier == kFastTier ? Position::kFast : Position::kSlow;
}

}  // namespace

StatusTable::StatusTable(const Graph& graph, const Plan& plan)
    : rows_(graph.tensors.size()) {
  for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
    const Tensor& tensor = graph.tensors[t];
    if (tensor.persistent) continue;
    rows_[t].birth_kernel = tensor.birth_kernel;
    rows_[t].death_kernel = tensor.death_kernel;
    rows_[t].wraps = tensor.wraps();
  }
  for (const Allocation& initial : plan.initial) {
    rows_[initial.tensor].initial = PositionOf(initial.at);
  }
  for (const Allocation& allocation : plan.allocations) {
    rows_[allocation.tensor].birth = PositionOf(allocation.at);
  }
  for (const Move& move : plan.moves) {
    rows_[move.tensor].migrations.push_back(
        {move.start_kernel, move.deadline_kernel, PositionOf(move.to)});
  }
}

StatusRecord StatusTable::At(KernelIndex kernel, TensorIndex tensor) const {
  const Row& row = rows_[tensor];
  const bool born = row.birth != Position::kNone && kernel >= row.birth_kernel;
  const bool freed = row.death_kernel >= 0 && kernel > row.death_kernel;
  if (row.wraps ? (freed && !born) : freed) return {};
  const bool second_life = row.wraps && born;
  StatusRecord record{born ? row.birth : row.initial};
  if (record.position == Position::kNone) return {};
  for (const Migration& migration : row.migrations) {
    if (migration.start > kernel) break;
    if (second_life && migration.start < row.birth_kernel) continue;
    const bool under_way =
        kernel < migration.end ||
        (migration.start == migration.end && kernel == migration.start);
    record.migrates = record.migrates || under_way;
    if (kernel >= migration.end) record.position = migration.to;
  }
  return record;
}

}  // namespace stowage::policies
