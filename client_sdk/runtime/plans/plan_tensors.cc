#include "client_sdk/runtime/plans/plan_tensors.h"

#include <utility>

namespace stowage::runtime {

std::vector<PlanTarget> PlanTensors::Recognize(const PlanTable& plan,
                                               int64_t step,
                                               int64_t plan_begin_bytes,
                                               int32_t boundary) {
  std::vector<std::optional<Origin>> origins(plan.tensor_count);
  by_index_.assign(plan.tensor_count, nullptr);
  for (Block* block : blocks_->all()) {
    block->tensor = -1;
    if (block->set_aside) continue;
    const std::optional<Origin> origin = FindOrigin(plan, step, *block);
    if (!origin.has_value() || origin->size_bytes != block->size_bytes)
      continue;
    Block* other = at(origin->tensor);
    if (other != nullptr && other->birth_step >= block->birth_step) continue;
    if (other != nullptr) other->tensor = -1;  // it has outlived its part
    Name(block, origin->tensor);
    origins[origin->tensor] = origin;
  }
  for (const session::PlanMove& move : plan.moves) {
    if (move.start_kernel >= boundary) break;
    std::optional<Origin>& origin = origins[move.tensor];
    if (!origin.has_value() || move.start_kernel <= origin->birth_kernel ||
        !IsOver(move, boundary)) {
      continue;
    }
    origin->place = {move.to_tier, move.to_offset_bytes};
  }
  std::vector<PlanTarget> targets;
  for (const std::optional<Origin>& origin : origins) {
    if (!origin.has_value()) continue;
    const auto [tier, offset_bytes] = origin->place;
    targets.push_back({at(origin->tensor),
                       PlannedPlace(tier, offset_bytes, plan_begin_bytes)});
  }
  return targets;
}

std::optional<PlanTensors::Origin> PlanTensors::FindOrigin(
    const PlanTable& plan, int64_t step, const Block& block) {
  if (block.birth_step == step) {
    const auto birth = plan.birth_by_tag.find(block.birth_tag);
    if (birth == plan.birth_by_tag.end()) return std::nullopt;
    const session::PlanAllocation& planned =
        plan.allocations[birth->second.allocation];
    return Origin{planned.tensor,
                  {planned.tier, planned.offset_bytes},
                  planned.size_bytes,
                  birth->second.kernel};
  }
  const session::PlanInitial* initial = FindInitial(plan, step, block);
  if (initial == nullptr) return std::nullopt;
  return Origin{initial->tensor,
                {initial->tier, initial->offset_bytes},
                initial->size_bytes,
                -1};
}

const session::PlanInitial* PlanTensors::FindInitial(const PlanTable& plan,
                                                     int64_t step,
                                                     const Block& block) {
  const auto find = [&plan](const auto& indexes, uint64_t key) {
    const auto index = indexes.find(key);
    return index != indexes.end() ? &plan.initial[index->second] : nullptr;
  };
  const session::PlanInitial* initial = find(plan.initial_by_block, block.id);
  if (initial == nullptr && block.birth_step == step - 1) {
    initial = find(plan.initial_by_tag, block.birth_tag);
  }
  return initial != nullptr ? initial
                            : find(plan.initial_by_origin, block.origin);
}

void PlanTensors::Name(Block* block, int32_t index) {
  by_index_[index] = block;
  block->tensor = index;
}

void PlanTensors::Forget(Block* block) {
  if (block->tensor >= 0 && at(block->tensor) == block) {
    by_index_[block->tensor] = nullptr;
  }
  block->tensor = -1;
}

void PlanTensors::Replace(Block* absent, Block* stranger) {
  Name(stranger, std::exchange(absent->tensor, -1));
}

}  // namespace stowage::runtime
