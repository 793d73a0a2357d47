#include "client_sdk/torch/collectives.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"

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

int g_completions = 0;
void CountCompletion() { ++g_completions; }

class CollectivesTest : public testing::Test {
 protected:
  CollectivesTest() : tensor_(process_.New(kBytes)) {}

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

  runtime::FakeProcess process_{
      {.fast_bytes = 8 * kBytes, .slow_bytes = 8 * kBytes}};
  RunningCollectives collectives_{&process_.job(), &CountCompletion};
  runtime::TensorPtr tensor_;
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

}  // namespace
}  // namespace stowage::torch_plugin
