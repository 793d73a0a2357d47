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
  bool completed = false;
};

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
  RunningCollectives collectives_{&process_.job()};
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

}  // namespace
}  // namespace stowage::torch_plugin
