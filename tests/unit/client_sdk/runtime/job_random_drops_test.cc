// Runs plans that keep and drop, and kernels that care for no plan.
#include <algorithm>
#include <random>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

constexpr uint64_t kDropsSeed = 20260102;
constexpr int kTensors = 6;
constexpr int kRandomKernels = 14;

// Plans that each tensor leaves, is fetched while its place is kept, is dropped
// and comes back, whenever that may be.
void PlanRandomDrops(std::mt19937_64& random, session::PlanArea* plan) {
  for (uint32_t i = 0; i < plan->initial_count; ++i) {
    std::vector<int32_t> at(5);
    for (int32_t& boundary : at) boundary = random() % (kRandomKernels + 1);
    std::sort(at.begin(), at.end());
    if (at[4] == at[3]) continue;
    const uint32_t first = plan->move_count;
    AddMove(plan, plan->initial[i], 0, at[0], at[0]);
    AddMove(plan, plan->initial[i], 1, at[1], at[2]);
    AddMove(plan, plan->initial[i], 0, at[3], at[3]);
    AddMove(plan, plan->initial[i], 1, at[4], at[4]);
    plan->moves[first + 1].flags = session::kMoveKeepsSource;
    plan->moves[first + 2].flags = session::kMoveIsDrop;
  }
  std::stable_sort(plan->moves, plan->moves + plan->move_count,
                   [](const auto& a, const auto& b) {
                     return a.start_kernel < b.start_kernel;
                   });
}

// Returns how many tensors of one unit both tiers hold.
int CountRoom(FakeProcess& process) {
  std::vector<TensorPtr> tensors;
  try {
    while (true) tensors.push_back(process.New(kUnit));
  } catch (const std::runtime_error&) {
  }
  return static_cast<int>(tensors.size());
}

class RandomDropsTest : public testing::TestWithParam<int> {
 protected:
  void Step(FakeProcess& process, std::vector<TensorPtr>& tensors) {
    for (int k = 0; k < kRandomKernels; ++k) {
      FakeKernel kernel;
      for (TensorPtr& tensor : tensors) {
        const uint64_t draw = random_() % 24;
        if (draw < 3) kernel.reads.push_back(tensor.get());
        if (draw == 3) kernel.writes.push_back(tensor.get());
      }
      kernel.births = {kUnit};
      const bool surprise = random_() % 200 == 0;
      process.Run(surprise ? "surprise" : "kernel", kernel);
    }
    process.job().EndStep();
  }

  std::mt19937_64 random_{kDropsSeed + GetParam()};
};

TEST_P(RandomDropsTest, KernelsReadWhatWasWrittenAndAllRoomComesBack) {
  int plans = 0;
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 24 * kUnit,
                       .slow_is_file = GetParam() % 2 == 0,
                       .limit_bytes = 24 * kUnit,
                       .planner = [&](const session::ProfileArea& profile,
                                      session::PlanArea* plan) {
                         if (++plans > 1) return false;  // the first plan stays
                         PlanIdentity(profile, plan);
                         PlanRandomDrops(random_, plan);
                         return true;
                       }});
  const int room = CountRoom(process);
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < kTensors; ++i) {
    tensors.push_back(process.New((1 + i % 3) * kUnit));
  }
  process.job().EndStep();
  for (int step = 0; step < 60; ++step) Step(process, tensors);
  process.Run("check", {.reads = {tensors[0].get(), tensors[1].get()}});
  tensors.clear();
  process.job().EndStep();
  EXPECT_EQ(CountRoom(process), room);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomDropsTest, testing::Range(0, 20));

}  // namespace
}  // namespace stowage::runtime
