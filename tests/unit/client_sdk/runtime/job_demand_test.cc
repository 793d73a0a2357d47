// Trains in demand mode: bounded fast memory, the rest in a slow tier.
#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <vector>

#include "client_sdk/session/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/fake_process.h"
#include "tests/unit/client_sdk/runtime/sizes.h"

namespace stowage::runtime {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The smallest window; sizes follow it.
constexpr JobSettings kDemandOnly{.demand_only = true};

FakeAgentOptions Limited(int64_t limit_bytes) {
  return {.fast_bytes = 40 * kUnit,
          .slow_bytes = 100 * kUnit,
          .limit_bytes = limit_bytes};
}

TEST(JobDemandTest, EvictsWhatWasUsedLongestAgo) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 3; ++i) tensors.push_back(process.New(2 * kUnit));
  process.Run("use", {.reads = {tensors[0].get()}});
  process.Run("use", {.reads = {tensors[2].get()}});
  TensorPtr another = process.New(2 * kUnit);
  EXPECT_TRUE(another->fast());
  EXPECT_TRUE(tensors[0]->fast());
  EXPECT_FALSE(tensors[1]->fast());
  EXPECT_TRUE(tensors[2]->fast());
}

TEST(JobDemandTest, FetchesAnEvictedOperand) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr first = process.New(3 * kUnit), second = process.New(3 * kUnit);
  TensorPtr third = process.New(3 * kUnit);
  ASSERT_FALSE(first->fast());
  process.Run("use", {.reads = {first.get()},
                      .body = [&] { EXPECT_TRUE(first->fast()); }});
}

TEST(JobDemandTest, WhatWasFetchedAndNotWrittenIsDropped) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr first = process.New(3 * kUnit), second = process.New(3 * kUnit);
  TensorPtr third = process.New(3 * kUnit);
  const auto read_all = [&] {
    for (const TensorPtr* tensor : {&first, &second, &third}) {
      process.Run("read", {.reads = {tensor->get()}});
    }
  };
  // Each comes back twice, so that no copy is under way when the step ends.
  for (int i = 0; i < 2; ++i) read_all();
  process.job().EndStep();
  for (int i = 0; i < 3; ++i) read_all();
  process.job().EndStep();
  EXPECT_GE(process.last_step().moved_in_bytes, 9 * kUnit);
  EXPECT_EQ(process.last_step().moved_out_bytes, 0);
}

TEST(JobDemandTest, WhatAKernelWritesAfterAFetchIsCopiedOut) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr first = process.New(3 * kUnit), second = process.New(3 * kUnit);
  TensorPtr third = process.New(3 * kUnit);
  for (int i = 0; i < 3; ++i) {
    process.Run("write", {.writes = {first.get()}});
    EXPECT_FALSE(first->block->kept.has_value());
    process.Run("read", {.reads = {second.get()}});
    process.Run("read", {.reads = {third.get()}});
  }
  process.Run("read", {.reads = {first.get()}});
}

TEST(JobDemandTest, WhatIsPinnedHasNoCopyToReturnTo) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr first = process.New(3 * kUnit), second = process.New(3 * kUnit);
  TensorPtr third = process.New(3 * kUnit);
  process.Run("read", {.reads = {first.get()}});
  ASSERT_TRUE(first->block->kept.has_value());
  process.job().Pin(&first->storage);
  EXPECT_FALSE(first->block->kept.has_value());
}

TEST(JobDemandTest, StreamsAnOperandThatIsLargerThanFastMemory) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr large = process.New(10 * kUnit);
  process.Run("read", {.reads = {large.get()}});
  process.Run("write", {.writes = {large.get()}});
  process.Run("read", {.reads = {large.get()}});
  EXPECT_FALSE(large->fast());
  process.job().EndStep();
  EXPECT_LE(process.last_step().fast_peak_bytes, 8 * kUnit);
  EXPECT_GE(process.last_step().moved_in_bytes, 20 * kUnit);
  EXPECT_GE(process.last_step().moved_out_bytes, 10 * kUnit);
}

TEST(JobDemandTest, AnOutputThatStreamedIsNotWrittenByWhatReadsIt) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  process.job().EndStep();
  const auto large = process.Run("write", {.births = {10 * kUnit}});
  ASSERT_FALSE(large[0]->fast());
  process.job().EndStep();
  process.Run("read", {.reads = {large[0].get()}});
  process.job().EndStep();
  EXPECT_GE(process.last_step().moved_in_bytes, 10 * kUnit);
  EXPECT_EQ(process.last_step().moved_out_bytes, 0);
}

// Has a tensor in the middle of the fast arena, at most three units to its left
// and to its right, and a tensor of four units that had to leave.
class SplitArenaTest : public testing::Test {
 protected:
  void SetUp() override {
    large_ = process_.New(4 * kUnit);
    process_.New(6 * kUnit);
    left_ = process_.New(3 * kUnit);
    middle_ = process_.New(kUnit / 2);
    right_ = process_.New(2 * kUnit);
    ASSERT_FALSE(large_->fast());
    ASSERT_TRUE(left_->fast() && middle_->fast() && right_->fast());
  }

  FakeProcess process_{Limited(8 * kUnit), kDemandOnly};
  TensorPtr large_, left_, middle_, right_;
};

TEST_F(SplitArenaTest, AnOperandMovesToMakeRoomForAnother) {
  process_.Run("use", {.reads = {middle_.get(), large_.get()}, .body = [&] {
                         EXPECT_TRUE(middle_->fast());
                         EXPECT_TRUE(large_->fast());
                       }});
}

TEST_F(SplitArenaTest, AnOperandMovesToMakeRoomForAnOutputSeenBefore) {
  const FakeKernel kernel{.reads = {middle_.get()}, .births = {4 * kUnit}};
  ASSERT_FALSE(process_.Run("use", kernel)[0]->fast());
  EXPECT_TRUE(process_.Run("use", kernel)[0]->fast());
  EXPECT_TRUE(middle_->fast());
}

TEST_F(SplitArenaTest, OperandsStayWhereRoomInOnePieceIsNotNeeded) {
  const int64_t offset_bytes = middle_->block->place.offset_bytes;
  const FakeKernel kernel{.reads = {middle_.get()}, .births = {5 * kUnit / 2}};
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(process_.Run("use", kernel)[0]->fast());
    EXPECT_EQ(middle_->block->place.offset_bytes, offset_bytes);
  }
}

TEST(JobDemandTest, OfOperandsThatDoNotFitTogetherTheLargestStaysSlow) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  std::vector<TensorPtr> operands;
  for (int64_t units : {4, 3, 2}) {
    operands.push_back(process.New(units * kUnit));
  }
  process.Run("use", {.reads = {operands[0].get(), operands[1].get(),
                                operands[2].get()},
                      .body = [&] {
                        EXPECT_FALSE(operands[0]->fast());
                        EXPECT_TRUE(operands[1]->fast());
                        EXPECT_TRUE(operands[2]->fast());
                      }});
}

TEST(JobDemandTest, StreamingIsNotPartOfAKernelsDuration) {
  FakeProcess process(Limited(8 * kUnit));
  TensorPtr large = process.New(10 * kUnit);
  const session::Segment& segment = *process.client().segment();
  int64_t elapsed_ns = 0, faults_ns = 0;
  while (segment.profiles_written == 0) {
    const int64_t begin_ns = session::NowNs(),
                  faults_before_ns = FakeProcess::FaultNs();
    process.Run("read", {.reads = {large.get()}});
    elapsed_ns = session::NowNs() - begin_ns;
    faults_ns = FakeProcess::FaultNs() - faults_before_ns;
    process.job().EndStep();
  }
  ASSERT_EQ(segment.profile.kernel_count, 1);
  const int64_t duration_ns = segment.profile.kernels[0].duration_ns;
  EXPECT_GE(duration_ns, 0);
  // The process measures them from outside, which takes a little longer.
  EXPECT_LT(duration_ns, elapsed_ns - faults_ns / 2);
  EXPECT_EQ(segment.profile.kernels[0].streamed_bytes, 10 * kUnit);
  EXPECT_GT(segment.profile.kernels[0].stream_ns, 0);
}

// Returns the window of the kernel, which streams its only operand, as its first
// profile has it.
int64_t WindowBytesOf(const FakeKernel& kernel, FakeProcess& process) {
  const session::Segment& segment = *process.client().segment();
  while (segment.profiles_written == 0) {
    process.Run("stream", kernel);
    process.job().EndStep();
  }
  EXPECT_TRUE(segment.profile.operands[0].flags & session::kOperandStreamed);
  return segment.profile.kernels[0].window_bytes;
}

TEST(JobDemandTest, AWindowInWhichAKernelReadsNothingTwiceIsProfiled) {
  FakeProcess process(Limited(8 * kUnit));
  const int64_t window_bytes = WindowBytesOf({.births = {10 * kUnit}}, process);
  EXPECT_GT(window_bytes, kUnit);
  EXPECT_LT(window_bytes, 8 * kUnit);
}

TEST(JobDemandTest, AWindowInWhichAKernelReadsAgainIsNot) {
  FakeProcess process(Limited(8 * kUnit));
  TensorPtr large = process.New(10 * kUnit);
  // Kernels of this process read their operands twice.
  EXPECT_EQ(WindowBytesOf({.reads = {large.get()}}, process), 0);
}

TEST(JobDemandTest, NeverMovesAPinnedTensor) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr pinned = process.New(kUnit);
  const char* address = pinned->storage.address;
  process.job().Pin(&pinned->storage);
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process.New(kUnit));
  EXPECT_EQ(pinned->storage.address, address);
  EXPECT_TRUE(FakeProcess::Intact(*pinned));
}

TEST(JobDemandTest, PinningBringsATensorIntoFastMemory) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr tensor = process.New(kUnit);
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process.New(kUnit));
  ASSERT_FALSE(tensor->fast());
  process.job().Pin(&tensor->storage);
  EXPECT_TRUE(tensor->fast());
  EXPECT_TRUE(FakeProcess::Intact(*tensor));
}

TEST(JobDemandTest, PinningATensorThatAKernelUsesLeavesItWhereItIs) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr large = process.New(10 * kUnit);  // streamed
  process.Run("use", {.reads = {large.get()},
                      .body = [&] { process.job().Pin(&large->storage); }});
  TensorPtr tensor = process.New(kUnit);
  const char* address = tensor->storage.address;
  process.Run("use", {.reads = {tensor.get()},
                      .body = [&] { process.job().Pin(&tensor->storage); }});
  EXPECT_EQ(tensor->storage.address, address);
}

// Library scratch has no storage.
TEST(JobDemandTest, NeverMovesLibraryScratch) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  Job& job = process.job();
  char* scratch = static_cast<char*>(job.Allocate(nullptr, kUnit));
  *scratch = 'x';
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process.New(kUnit));
  EXPECT_EQ(*scratch, 'x');
  EXPECT_TRUE(job.Free(scratch));
}

TEST(JobDemandTest, LibraryScratchInASlowTierMayBePinned) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  Job& job = process.job();
  std::vector<void*> scratch;  // more than fits
  for (int i = 0; i < 10; ++i) {
    scratch.push_back(job.Allocate(nullptr, kUnit));
    *static_cast<char*>(scratch.back()) = static_cast<char>(i);
  }
  for (int i = 0; i < 10; ++i) {
    FakeStorage exposed;
    exposed.address = static_cast<char*>(scratch[i]);
    job.Pin(&exposed);
    EXPECT_EQ(*static_cast<char*>(scratch[i]), i);
    EXPECT_TRUE(job.Free(scratch[i]));
  }
}

TEST(JobDemandTest, LeavesAStorageThatIsNotMovableWhereItIs) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr fixed = process.New(kUnit);
  fixed->storage.movable = false;
  std::vector<TensorPtr> others;
  for (int i = 0; i < 20; ++i) others.push_back(process.New(kUnit));
  EXPECT_TRUE(fixed->fast());
}

TEST(JobDemandTest, SmallStoragesTakeTheirShareOfTheLimit) {
  FakeProcess process(Limited(12 * kUnit), kDemandOnly);
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 10; ++i) tensors.push_back(process.New(kUnit));
  process.job().CountUnmanaged(4 * kUnit);
  process.Run("use", {.reads = {tensors[0].get()}});
  EXPECT_LE(process.FastBytes() + 4 * kUnit, 12 * kUnit);
}

TEST(JobDemandTest, RefusesALimitThatIsTooSmallWithTheLeastThatWorks) {
  int64_t least_bytes = 0;
  {
    FakeProcess process(Limited(64 << 10), kDemandOnly);
    TensorPtr tensor = process.New(kUnit);
    try {
      process.job().EndStep();
      FAIL() << "accepted";
    } catch (const std::runtime_error& error) {
      least_bytes = process.client().segment()->report.least_limit_bytes;
      EXPECT_THAT(error.what(), HasSubstr(std::to_string(least_bytes)));
    }
    EXPECT_THAT(process.Events(), Contains("limit-too-small"));
  }
  FakeProcess process(Limited(least_bytes), kDemandOnly);
  TensorPtr tensor = process.New(kUnit);
  EXPECT_NO_THROW(process.job().EndStep());
}

TEST(JobDemandTest, ALimitThatWasRefusedIsRefusedForAsLongAsItIsTooSmall) {
  FakeProcess process(Limited(64 << 10), kDemandOnly);
  {
    TensorPtr tensor = process.New(kUnit);
    for (int step = 0; step < 5; ++step) {
      process.Run("use", {.reads = {tensor.get()}});
      EXPECT_THROW(process.job().BeforeUpdate(), std::runtime_error);
      EXPECT_THROW(process.job().EndStep(), std::runtime_error);
    }
  }
  EXPECT_EQ(std::ranges::count(process.Events(), "limit-too-small"), 1);
}

TEST(JobDemandTest, AFullSlowTierIsAnErrorThatLosesNothing) {
  FakeAgentOptions options = Limited(8 * kUnit);
  options.slow_bytes = 4 * kUnit;
  FakeProcess process(options, kDemandOnly);
  std::vector<TensorPtr> tensors;
  try {
    for (int i = 0; i < 20; ++i) tensors.push_back(process.New(kUnit));
    FAIL() << "there is no such room";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no tensor was lost"));
  }
  ASSERT_GT(tensors.size(), 8);
  for (const TensorPtr& tensor : tensors) {
    EXPECT_TRUE(FakeProcess::Intact(*tensor));
  }
  // With room again, training goes on.
  tensors.resize(tensors.size() / 2);
  for (TensorPtr& tensor : tensors) {
    process.Run("use", {.reads = {tensor.get()}});
  }
}

TEST(JobDemandTest, AFailingSlowTierIsAnErrorThatLosesNothing) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 5; ++i) tensors.push_back(process.New(kUnit));
  const int full = open("/dev/full", O_RDWR | O_CLOEXEC);
  ASSERT_GE(dup2(full, process.client().tiers()[1].fd), 0);
  EXPECT_THROW(process.New(6 * kUnit), std::runtime_error);
  close(full);
  EXPECT_THAT(process.Events(), Contains("eviction-failed"));
  for (const TensorPtr& tensor : tensors) {
    EXPECT_TRUE(tensor->fast());
    process.Run("use", {.reads = {tensor.get()}});
  }
}

TEST(JobDemandTest, AKernelOnASlowEmulatedTierTakesLonger) {
  FakeAgentOptions options = Limited(8 * kUnit);
  options.slow_is_file = false;
  options.slow_kernel_read_ps_per_byte = 1000;
  FakeProcess process(options, kDemandOnly);
  TensorPtr large = process.New(20 * kUnit);  // does not fit
  const int64_t begin_ns = session::NowNs();
  process.Run("use", {.reads = {large.get()}});
  EXPECT_GE(session::NowNs() - begin_ns, 20 * kUnit);
}

TEST(JobDemandTest, ATensorMayDieWhileAKernelUsesIt) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr tensor = process.New(kUnit);
  FakeTensor* raw = tensor.get();
  process.Run("resize", {.writes = {}, .births = {kUnit}, .body = [&] {
                           process.Run("inner", {.reads = {raw}});
                           tensor.reset();
                         }});
  EXPECT_THAT(process.job().blocks(), IsEmpty());
}

TEST(JobDemandTest, ABirthThatCannotStreamLeavesNoRoomBehind) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 26 * kUnit,
                       .limit_bytes = 20 * kUnit},
                      kDemandOnly);
  {
    // Others would have to leave for its window, and the slow tier is full.
    std::vector<TensorPtr> others;
    for (int i = 0; i < 15; ++i) others.push_back(process.New(kUnit));
    process.job().EndStep();
    EXPECT_THROW(process.Run("large", {.births = {25 * kUnit}}),
                 std::runtime_error);
  }
  const std::vector<TensorPtr> born =
      process.Run("large", {.births = {25 * kUnit}});
  EXPECT_TRUE(FakeProcess::Intact(*born[0]));
}

TEST(JobDemandTest, KnowsItsBlocksAndNobodyElses) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  Job& job = process.job();
  char elsewhere = 0;
  FakeStorage foreign;
  foreign.address = &elsewhere;
  EXPECT_FALSE(job.Manages(&elsewhere));
  EXPECT_FALSE(job.Free(&elsewhere));
  EXPECT_EQ(job.BlockOf(&foreign, false), nullptr);
  job.Pin(&foreign);  // harmless

  TensorPtr tensor = process.New(kUnit);
  EXPECT_TRUE(job.Manages(tensor->storage.address));
  EXPECT_EQ(job.BlockOf(&tensor->storage, true), tensor->block);
  EXPECT_TRUE(tensor->block->parameter);
  EXPECT_EQ(tensor->storage.handles, 1);
}

TEST(JobDemandTest, FollowsAnAddressToANewStorage) {
  FakeProcess process(Limited(8 * kUnit), kDemandOnly);
  TensorPtr tensor = process.New(kUnit);
  FakeStorage other;
  other.address = tensor->storage.address.load();
  EXPECT_EQ(process.job().BlockOf(&other, false), tensor->block);
  EXPECT_EQ(tensor->storage.handles, 0);
  EXPECT_EQ(other.handles, 1);
  tensor.reset();
  EXPECT_EQ(other.handles, 0);
}

}  // namespace
}  // namespace stowage::runtime
