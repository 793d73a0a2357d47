// Trains a small model whose steps follow plans made by hand.
//
//   SmallTraining training([](session::PlanArea* plan) {
//     MoveActivation(plan, /*from_tier=*/0, kForward2, kForward2);
//   });
//   training.WarmUp();
//   training.Step();
#ifndef STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SMALL_TRAINING_H_
#define STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SMALL_TRAINING_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {

// The smallest window; sizes follow it.

// Plans every tensor of the step at a fast address of its own, without moves.
inline void PlanIdentity(const session::ProfileArea& profile,
                         session::PlanArea* plan) {
  plan->signature = profile.signature;
  plan->predicted.step_ns = 123;
  plan->tensor_count = profile.block_count;
  plan->kernel_count = profile.kernel_count;
  plan->initial_count = plan->allocation_count = plan->move_count = 0;
  plan->stream_count = 0;
  for (uint32_t k = 0; k < profile.kernel_count; ++k) {
    plan->kernels[k] = {.key = profile.kernels[k].key};
  }
  int64_t end = 0;
  for (uint32_t i = 0; i < profile.block_count; ++i) {
    const session::BlockRecord& block = profile.blocks[i];
    const int32_t tensor = static_cast<int32_t>(i);
    if (block.birth_kernel < 0) {
      const bool wraps = block.previous_birth_kernel >= 0;
      plan->initial[plan->initial_count++] = {
          .tensor = tensor,
          .offset_bytes = end,
          .size_bytes = block.size_bytes,
          .block_id = wraps ? 0 : block.id,
          .birth_kernel = block.previous_birth_kernel,
          .birth_ordinal = block.previous_birth_ordinal};
    } else {
      session::PlanKernel& kernel = plan->kernels[block.birth_kernel];
      if (kernel.allocation_count++ == 0) {
        kernel.first_allocation = plan->allocation_count;
      }
      plan->allocations[plan->allocation_count++] = {
          .tensor = tensor,
          .offset_bytes = end,
          .size_bytes = block.size_bytes};
    }
    end += RoundUpToPage(block.size_bytes);
  }
}

using EditPlan = std::function<void(session::PlanArea* plan)>;

// Names the kernels of the step below, in order.
enum Kernel { kForward1, kForward2, kForward3, kBackward, kUpdate, kKernels };

// Trains a small model: a weight that persists, activations that die in the
// backward pass, and a loss that lives until the next step.
class SmallTraining {
 public:
  explicit SmallTraining(
      const EditPlan& edit = [](session::PlanArea*) {},
      const JobSettings& settings = kPatient)
      : process_({.fast_bytes = 60 * kUnit,
                  .slow_bytes = 100 * kUnit,
                  .limit_bytes = 40 * kUnit,
                  .planner =
                      [edit](const session::ProfileArea& profile,
                             session::PlanArea* plan) {
                        PlanIdentity(profile, plan);
                        edit(plan);
                        return true;
                      }},
                 settings),
        weight_(process_.New(2 * kUnit)) {}

  struct Variation {
    const char* second_kernel = "forward2";
    int64_t hidden_bytes = 2 * kUnit;
    bool skip_update = false;
    FakeTensor* write_in_third = nullptr;
    bool write_activation_in_second = false;
    std::function<void()> after_first = [] {};
    std::function<void()> in_third = [] {};
    std::function<void()> in_backward = [] {};
  };

  void Step() { Step(Variation{}); }
  void Step(const Variation& variation) {
    FakeTensor* weight = weight_.get();
    TensorPtr activation = Only(
        process_.Run("forward1", {.reads = {weight}, .births = {3 * kUnit}}));
    activation_ = activation.get();
    variation.after_first();
    FakeKernel second{.reads = {activation.get()},
                      .births = {variation.hidden_bytes}};
    if (variation.write_activation_in_second) {
      std::swap(second.reads, second.writes);
    }
    TensorPtr hidden = Only(process_.Run(variation.second_kernel, second));
    process_.Run("forward3",
                 {.reads = {hidden.get()}, .body = variation.in_third});
    std::vector<TensorPtr> gradients =
        process_.Run("backward", {.reads = {activation.get(), hidden.get()},
                                  .births = {2 * kUnit, kUnit / 2},
                                  .body = variation.in_backward});
    activation_ = nullptr;
    activation.reset();
    hidden.reset();
    if (!variation.skip_update) {
      process_.Run("update",
                   {.reads = {gradients[0].get()}, .writes = {weight}});
    }
    loss_ = std::move(gradients[1]);  // the previous one dies
    gradients.clear();
    process_.job().EndStep();
  }
  // Trains until the first step that a plan drives can begin.
  void WarmUp() {
    while (process_.client().segment()->plans_taken == 0) Step();
  }
  void CheckContents() {
    process_.Run("check", {.reads = {weight_.get(), loss_.get()}});
  }

  FakeProcess& process() { return process_; }
  FakeTensor* weight() { return weight_.get(); }
  FakeTensor* activation() { return activation_; }
  const session::StepRecord& last() { return process_.last_step(); }

 private:
  static TensorPtr Only(std::vector<TensorPtr> tensors) {
    return std::move(tensors.at(0));
  }

  FakeProcess process_;
  TensorPtr weight_, loss_;
  FakeTensor* activation_ = nullptr;
};

// Returns what `forward1` allocates.
inline const session::PlanAllocation& Activation(
    const session::PlanArea& plan) {
  return plan.allocations[plan.kernels[kForward1].first_allocation];
}

// Appends a move between equal offsets, given by start and deadline. `place` is
// a plan's allocation or initial place.
template <typename PlanPlace>
void AddMove(session::PlanArea* plan, const PlanPlace& place, int from_tier,
             int32_t start, int32_t deadline) {
  plan->moves[plan->move_count++] = {.tensor = place.tensor,
                                     .from_tier = from_tier,
                                     .to_tier = 1 - from_tier,
                                     .start_kernel = start,
                                     .deadline_kernel = deadline,
                                     .from_offset_bytes = place.offset_bytes,
                                     .to_offset_bytes = place.offset_bytes,
                                     .size_bytes = place.size_bytes};
}

inline void MoveActivation(session::PlanArea* plan, int from_tier,
                           int32_t start, int32_t deadline) {
  AddMove(plan, Activation(*plan), from_tier, start, deadline);
}

inline const session::PlanInitial& Weight(const session::PlanArea& plan) {
  return *std::find_if(
      plan.initial, plan.initial + plan.initial_count,
      [](const session::PlanInitial& i) { return i.size_bytes == 2 * kUnit; });
}

}  // namespace stowage::runtime

#endif  // STOWAGE_TESTS_UNIT_CLIENT_SDK_RUNTIME_SMALL_TRAINING_H_
