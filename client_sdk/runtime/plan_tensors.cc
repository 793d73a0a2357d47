#include "client_sdk/runtime/plan_tensors.h"

#include <utility>

namespace stowage::runtime {

std::vector<PlanTarget> PlanTensors::Recognize(const PlanTable& plan,
                                               int64_t step,
                                               int64_t plan_begin_bytes) {
  std::vector<PlanTarget> targets;
  by_index_.assign(plan.tensor_count, nullptr);
  for (Block* block : blocks_->all()) {
    block->tensor = -1;
    if (block->set_aside) continue;
    const session::PlanInitial* initial = FindInitial(plan, step, *block);
    if (initial == nullptr || block->size_bytes != initial->size_bytes ||
        at(initial->tensor) != nullptr) {
      continue;
    }
    Name(block, initial->tensor);
    targets.push_back({block, PlannedPlace(initial->tier, initial->offset_bytes,
                                           plan_begin_bytes)});
  }
  return targets;
}

const session::PlanInitial* PlanTensors::FindInitial(const PlanTable& plan,
                                                     int64_t step,
                                                     const Block& block) const {
  auto index = plan.initial_by_block.find(block.id);
  if (index != plan.initial_by_block.end()) return &plan.initial[index->second];
  if (block.birth_step != step - 1) return nullptr;
  index = plan.initial_by_tag.find(block.birth_tag);
  if (index == plan.initial_by_tag.end()) return nullptr;
  return &plan.initial[index->second];
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
