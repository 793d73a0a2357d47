#include "client_sdk/torch/operators/collectives.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::torch_plugin {
namespace {

constexpr int64_t kBytes = 1 << 20;

// Completes when the test says so.
class FakeWork : public c10d::Work {
 public:
  bool isCompleted() override { return completed; }
  c10::intrusive_ptr<c10::ivalue::Future> getFuture() override {
    return future;
  }
  bool completed = false;
  const c10::intrusive_ptr<c10::ivalue::Future> future =
      c10::make_intrusive<c10::ivalue::Future>(c10::NoneType::get());
};

// Copies a result whenever somebody waits, as gloo's reduce-scatter does.
class LambdaWork : public c10d::Work {};

// Never says that it has completed, and runs operators while it is waited for.
class EndlessWork : public c10d::Work {
 public:
  bool wait(std::chrono::milliseconds) override {
    ++waits;
    collectives->Settle();
    return true;
  }
  int waits = 0;
  RunningCollectives* collectives = nullptr;
};

int g_completions = 0;
void CountCompletion() { ++g_completions; }

class CollectivesTest : public testing::Test {
 protected:
  CollectivesTest()
      : tensor_(process_.New(kBytes)), other_(process_.New(kBytes)) {
    process_.job().EndStep();  // the first one is not profiled
  }

  // Runs a kernel that begins the collective.
  void Begin(const c10::intrusive_ptr<c10d::Work>& work) {
    process_.Run("all_reduce",
                 {.reads = {tensor_.get()}, .body = [&] {
                    // The job takes whatever its storages are.
                    auto* storage =
                        reinterpret_cast<c10::StorageImpl*>(&tensor_->storage);
                    std::vector<uint64_t> pins = collectives_.Pin({storage});
                    const torch::jit::Stack results = {c10::IValue(work)};
                    collectives_.Add(results, results.size(), std::move(pins));
                  }});
  }
  bool pinned() const { return tensor_->block->pinned; }
  // Runs a kernel that has nothing to do with the collective.
  void RunNext() {
    collectives_.Settle();
    process_.Run("relu", {.reads = {other_.get()}});
  }
  // Returns how many kernels of the step use the operand or run beside its use.
  int64_t EndStepAndCountReads() {
    process_.job().EndStep();
    const session::ProfileArea& profile = process_.agent().segment().profile;
    return std::count_if(
        profile.operands, profile.operands + profile.operand_count,
        [&](const session::OperandRecord& operand) {
          return profile.blocks[operand.block].id == tensor_->block->id;
        });
  }

  runtime::FakeProcess process_{
      {.fast_bytes = 8 * kBytes, .slow_bytes = 8 * kBytes}};
  RunningCollectives collectives_{&process_.job(), &CountCompletion};
  runtime::TensorPtr tensor_;
  runtime::TensorPtr other_;
};

TEST_F(CollectivesTest, OperandsMayMoveOnceTheWorkHasCompleted) {
  const auto work = c10::make_intrusive<FakeWork>();
  Begin(work);
  collectives_.Settle();
  EXPECT_TRUE(pinned());
  work->completed = true;
  collectives_.Settle();
  EXPECT_FALSE(pinned());
}

TEST_F(CollectivesTest, AWorkThatNobodyHoldsHasCompleted) {
  Begin(c10::make_intrusive<FakeWork>());
  EXPECT_TRUE(pinned());
  collectives_.Settle();
  EXPECT_FALSE(pinned());
}

TEST_F(CollectivesTest, WhatMightHaveRunBesideKernelsCountsAsIfItHad) {
  Begin(c10::make_intrusive<FakeWork>());
  RunNext();
  RunNext();
  EXPECT_EQ(EndStepAndCountReads(), 3);
}

TEST_F(CollectivesTest, WhatTheScriptWaitedForRunsBesideNoKernel) {
  Begin(c10::make_intrusive<FakeWork>());
  collectives_.SettleWaited();
  EXPECT_FALSE(pinned());
  RunNext();
  EXPECT_EQ(EndStepAndCountReads(), 1);
}

TEST_F(CollectivesTest, TheThreadThatCompletesAWorkHearsOfItFirst) {
  g_completions = 0;
  const auto work = c10::make_intrusive<FakeWork>();
  Begin(work);
  int completions_before_script = -1;
  work->future->addCallback(
      [&](c10::ivalue::Future&) { completions_before_script = g_completions; });
  EXPECT_EQ(g_completions, 0);
  work->future->markCompleted(c10::IValue());
  EXPECT_EQ(completions_before_script, 1);
}

TEST_F(CollectivesTest, AWorkThatIsAFunctionForWhoeverWaitsPinsNothing) {
  const auto work = c10::make_intrusive<LambdaWork>();
  Begin(work);
  EXPECT_FALSE(pinned());
  EXPECT_EQ(EndStepAndCountReads(), 1);
}

TEST(CollectivesOfPlansTest, AWorkInTheWayIsWaitedForOnce) {
  runtime::SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, runtime::kBackward,
                   runtime::kBackward);
  });
  training.WarmUp();
  training.Step();
  RunningCollectives collectives(&training.process().job());
  const auto work = c10::make_intrusive<EndlessWork>();
  work->collectives = &collectives;
  training.Step({.in_third = [&] {
    auto* storage =
        reinterpret_cast<c10::StorageImpl*>(&training.activation()->storage);
    collectives.Add({c10::IValue(c10::intrusive_ptr<c10d::Work>(work))},
                    /*results=*/1, collectives.Pin({storage}));
    collectives.Settle();
    collectives.Settle();
  }});
  EXPECT_EQ(work->waits, 1);
}

}  // namespace
}  // namespace stowage::torch_plugin
