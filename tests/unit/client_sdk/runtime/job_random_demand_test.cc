// Trains in demand mode with kernels, births and deaths at random.
#include <algorithm>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

FakeAgentOptions RandomOptions(int64_t limit_bytes) {
  return {.fast_bytes = 40 * kUnit,
          .slow_bytes = 100 * kUnit,
          .limit_bytes = limit_bytes};
}

// Runs random kernels, births and deaths over about a hundred tensors.
class RandomTraining {
 public:
  RandomTraining(FakeProcess* process, int seed, size_t tensor_count)
      : process_(process), random_(seed), tensor_count_(tensor_count) {}

  void RunKernel() {
    FakeKernel kernel;
    for (size_t i = Below(4); i > 0 && !tensors_.empty(); --i) {
      FakeTensor* tensor = Any()->get();
      if (!Contains(kernel.writes, tensor) && !Contains(kernel.reads, tensor)) {
        (Below(3) == 0 ? kernel.writes : kernel.reads).push_back(tensor);
      }
    }
    if (tensors_.size() < tensor_count_) {
      kernel.births.push_back((1 + Below(64)) * kUnit / 64);
    }
    for (TensorPtr& born : process_->Run("any", kernel)) {
      tensors_.push_back(std::move(born));
    }
    if (tensors_.size() > tensor_count_ / 2 && Below(2) == 0) {
      std::swap(*Any(), tensors_.back());
      tensors_.pop_back();
    }
  }
  void PinAny() { process_->job().Pin(&(*Any())->storage); }
  void ReadEverything() {
    for (TensorPtr& tensor : tensors_) {
      process_->Run("check", {.reads = {tensor.get()}});
    }
  }

 private:
  static bool Contains(const std::vector<FakeTensor*>& tensors,
                       const FakeTensor* tensor) {
    return std::find(tensors.begin(), tensors.end(), tensor) != tensors.end();
  }
  int64_t Below(int64_t n) { return random_() % static_cast<uint64_t>(n); }
  std::vector<TensorPtr>::iterator Any() {
    return tensors_.begin() + Below(tensors_.size());
  }

  FakeProcess* process_;
  std::mt19937_64 random_;
  size_t tensor_count_;
  std::vector<TensorPtr> tensors_;
};

class RandomDemandTest : public testing::TestWithParam<bool> {};

TEST_P(RandomDemandTest, KeepsContentsAndTheLimitUnderRandomUse) {
  FakeAgentOptions options = RandomOptions(10 * kUnit);  // about a fifth
  options.slow_is_file = GetParam();
  FakeProcess process(options, JobSettings{.demand_only = true});
  RandomTraining training(&process, /*seed=*/7, /*tensor_count=*/100);
  for (int i = 1; i <= 3000; ++i) {
    training.RunKernel();
    ASSERT_LE(process.FastBytes(), process.job().limit_bytes());
    if (i % 100 == 50) training.PinAny();
    if (i % 100 == 0) process.job().EndStep();
  }
  training.ReadEverything();
  EXPECT_LE(process.last_step().fast_peak_bytes, 10 * kUnit);
  EXPECT_GT(process.last_step().moved_in_bytes, 0);
  EXPECT_GT(process.last_step().moved_out_bytes, 0);
  EXPECT_EQ(process.last_step().mode, session::kStepDemand);
}

TEST_P(RandomDemandTest, KeepsALimitInPercentFromTheFirstAllocation) {
  FakeAgentOptions options = RandomOptions(0);
  options.limit_fraction = 0.2;
  options.slow_is_file = GetParam();
  FakeProcess process(options, JobSettings{.demand_only = true});
  RandomTraining training(&process, /*seed=*/8, /*tensor_count=*/100);
  int64_t limit_bytes = 0;
  for (int i = 1; i <= 1000; ++i) {  // two steps
    training.RunKernel();
    ASSERT_GE(process.job().limit_bytes(), limit_bytes);  // it only grows
    limit_bytes = process.job().limit_bytes();
    // Small kernels always have a little room.
    ASSERT_LE(process.FastBytes(), std::max(limit_bytes, kUnit + kMiB));
    if (i % 500 == 0) process.job().EndStep();
  }
  training.ReadEverything();
  const session::Report& report = process.client().segment()->report;
  EXPECT_NEAR(limit_bytes, 0.2 * report.tensor_peak_bytes,
              0.02 * report.tensor_peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(SlowTiers, RandomDemandTest, testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "File" : "Memory";
                         });

TEST(RandomDemandThreadsTest, KeepsContentsWhenSeveralThreadsTrain) {
  FakeProcess process(RandomOptions(10 * kUnit),
                      JobSettings{.demand_only = true});
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&process, i] {
      RandomTraining training(&process, /*seed=*/20 + i, /*tensor_count=*/30);
      for (int k = 0; k < 400; ++k) training.RunKernel();
      training.ReadEverything();
    });
  }
  for (std::thread& thread : threads) thread.join();
  process.job().EndStep();
  EXPECT_LE(process.last_step().fast_peak_bytes, 10 * kUnit);
}

}  // namespace
}  // namespace stowage::runtime
