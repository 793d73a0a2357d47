// Places blocks that a hand-made plan knows, for tests of what follows a plan.
//
//   PlannedMemory memory;
//   Block* weight = memory.MakeTensor(&tensors, /*tensor=*/0, /*pages=*/2);
//   memory.AddMove({.tensor = 0, .to_tier = 1, .deadline_kernel = 2});
//   moves.Begin(memory.plan(), /*plan_begin_bytes=*/0);
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLANNED_MEMORY_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLANNED_MEMORY_H_

#include <algorithm>
#include <cstddef>
#include <memory>
#include <vector>

#include "client_sdk/runtime/plans/plan_table.h"
#include "client_sdk/runtime/plans/plan_tensors.h"
#include "tests/unit/client_sdk/runtime/placed_memory.h"

namespace stowage::runtime {

// Fast memory has 16 pages; the plan has at most 8 tensors.
class PlannedMemory {
 public:
  explicit PlannedMemory(bool slow_is_file = true)
      : placed({.fast_bytes = 16 * kPage,
                .slow_bytes = 64 * kPage,
                .slow_is_file = slow_is_file}) {
    plan_.tensor_count = 8;
  }

  // Returns a block that no plan knows, filled with `value`.
  Block* Make(int64_t pages, int tier = session::kFastTier, char value = 'a') {
    storages_.push_back(std::make_unique<FakeStorage>());
    return placed.Make(storages_.back().get(), pages * kPage, value, tier);
  }
  // Returns a block that the plan has in fast memory when the step begins,
  // where it stands. Of no use once PlanTensors::Recognize() was called with
  // this plan.
  Block* MakeTensor(PlanTensors* tensors, int32_t tensor, int64_t pages,
                    int tier = session::kFastTier) {
    if (tensors->all().empty()) tensors->Recognize(plan_, 0, 0);
    Block* block = Make(pages, tier);
    plan_.initial.push_back({.tensor = tensor,
                             .tier = tier,
                             .offset_bytes = block->place.offset_bytes,
                             .size_bytes = block->size_bytes});
    tensors->Name(block, tensor);
    return block;
  }
  // Adds a move; moves are added by start. Kernels take no time.
  void AddMove(const session::PlanMove& move) {
    const auto index = static_cast<uint32_t>(plan_.moves.size());
    plan_.moves.push_back(move);
    std::vector<int64_t>& boundaries_ns = plan_.boundaries_ns;
    boundaries_ns.resize(
        std::max<size_t>(boundaries_ns.size(), move.deadline_kernel + 1));
    std::vector<uint32_t>& order = plan_.moves_by_deadline;
    order.push_back(index);
    std::stable_sort(order.begin(), order.end(),
                     [this](uint32_t a, uint32_t b) {
                       return plan_.moves[a].deadline_kernel <
                              plan_.moves[b].deadline_kernel;
                     });
  }
  // Adds the plan's next kernel, which allocates `births`.
  void AddKernel(uint64_t key,
                 const std::vector<session::PlanAllocation>& births = {}) {
    plan_.kernels.push_back(
        {.key = key,
         .first_allocation = static_cast<uint32_t>(plan_.allocations.size()),
         .allocation_count = static_cast<uint32_t>(births.size())});
    plan_.allocations.insert(plan_.allocations.end(), births.begin(),
                             births.end());
  }
  PlanTable& plan() { return plan_; }

  PlacedMemory placed;

 private:
  PlanTable plan_;
  std::vector<std::unique_ptr<FakeStorage>> storages_;
};

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_PLANNED_MEMORY_H_
