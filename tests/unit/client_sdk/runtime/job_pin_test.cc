// Pins tensors whose address is known outside, and plans steps that use them.
#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Pin(FakeTensor* tensor) { tensor->job->Pin(&tensor->storage); }

// Expects a step that a plan drives to its end, with nothing amiss.
void ExpectPlannedStep(SmallTraining* training,
                       const SmallTraining::Variation& variation = {}) {
  training->Step(variation);
  EXPECT_EQ(training->last().mode, session::kStepPlan);
  EXPECT_EQ(training->last().fallbacks, 0u);
  EXPECT_LE(training->last().fast_peak_bytes, 40 * kUnit);
}

int64_t ReportedRoom(SmallTraining* training) {
  return training->process().client().segment()->profile.unmanaged_peak_bytes;
}

// Lets the first kernel stream through a window above all that the plan places.
void AddWindow(int64_t bytes, session::PlanArea* plan) {
  const int64_t end_bytes =
      PlanTable::Copy(*plan, /*tier_count=*/2)->fast_end_bytes;
  plan->streams[plan->stream_count++] = {.kernel = 0,
                                         .tensor = 0,
                                         .window_offset_bytes = end_bytes,
                                         .window_bytes = bytes};
}

TEST(JobPinTest, APlanDrivesAlthoughAWeightWasPinnedBeforeTheFirstStep) {
  SmallTraining training;
  Pin(training.weight());
  const char* address = training.weight()->storage.address;
  training.WarmUp();
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training);
  EXPECT_EQ(training.weight()->storage.address, address);
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPinTest, APinnedTensorIsNoPartOfTheProfileAndItsRoomIsReported) {
  SmallTraining plain, pinned;
  Pin(pinned.weight());
  plain.WarmUp();
  pinned.WarmUp();
  EXPECT_EQ(pinned.process().client().segment()->profile.block_count,
            plain.process().client().segment()->profile.block_count - 1);
  EXPECT_EQ(ReportedRoom(&pinned), ReportedRoom(&plain) + 2 * kUnit);
}

TEST(JobPinTest, ATensorPinnedUnderAPlanEndsItForThatStep) {
  SmallTraining training;
  training.WarmUp();
  ExpectPlannedStep(&training);
  Pin(training.weight());
  training.Step();
  EXPECT_EQ(training.last().fallbacks, 1u);
  const char* address = training.weight()->storage.address;
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training);
  EXPECT_EQ(training.weight()->storage.address, address);
  training.CheckContents();
  EXPECT_THAT(training.process().Events(), ElementsAre("address-taken"));
}

TEST(JobPinTest, APlanThatNoLongerFitsIsMadeAnew) {
  SmallTraining training(
      [](session::PlanArea* plan) { AddWindow(5 * kUnit, plan); });
  TensorPtr large = training.process().New(20 * kUnit);
  training.WarmUp();
  ExpectPlannedStep(&training);
  Pin(large.get());
  training.Step();
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepProfile);
  EXPECT_GE(ReportedRoom(&training), 21 * kUnit);
  ExpectPlannedStep(&training);
  training.CheckContents();
  EXPECT_THAT(training.process().Events(),
              ElementsAre("address-taken", "plan-outgrown"));
}

TEST(JobPinTest, TheRoomOfAPinnedTensorThatIsFreedComesBack) {
  SmallTraining training;
  TensorPtr pinned = training.process().New(8 * kUnit);
  Pin(pinned.get());
  training.WarmUp();
  const int64_t before_bytes = ReportedRoom(&training);
  pinned.reset();
  // Until two profiles more; later, if the agent has yet to take one.
  for (int i = 0; ReportedRoom(&training) > before_bytes - 8 * kUnit; ++i) {
    ASSERT_LT(i, 100);
    ExpectPlannedStep(&training);
  }
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPinTest, APlanDrivesAlthoughEachStepPinsAnActivation) {
  SmallTraining training;
  const SmallTraining::Variation pins{
      .in_third = [&] { Pin(training.activation()); }};
  const session::Segment& segment = *training.process().client().segment();
  while (segment.plans_taken == 0) training.Step(pins);
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training, pins);
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

uint64_t PinView(FakeTensor* tensor) {
  const uint64_t view = tensor->job->PinView(&tensor->storage);
  tensor->storage.movable = false;  // as PyTorch does
  return view;
}

TEST(JobPinTest, ATensorThatAnArraySeesForAMomentStaysInThePlan) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kBackward, kBackward);
  });
  training.WarmUp();
  const SmallTraining::Variation looks{.in_third = [&] {
    FakeTensor* activation = training.activation();
    const char* address = activation->storage.address;
    const uint64_t view = PinView(activation);
    EXPECT_NE(view, 0u);
    EXPECT_EQ(activation->storage.address, address);
    training.process().job().Unpin(view);
  }};
  ExpectPlannedStep(&training, looks);  // arranges what is alive
  for (int i = 0; i < 3; ++i) {
    ExpectPlannedStep(&training, looks);
    EXPECT_EQ(training.last().moved_out_bytes, 3 * kUnit);
  }
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPinTest, ATensorMayMoveWhenTheLastOfItsArraysHasDied) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  TensorPtr tensor = process.New(kUnit);
  const uint64_t first = PinView(tensor.get());
  const uint64_t second = PinView(tensor.get());
  process.job().Unpin(first);
  EXPECT_TRUE(tensor->block->pinned);
  process.job().Unpin(second);
  EXPECT_FALSE(tensor->block->pinned);
  EXPECT_TRUE(tensor->storage.movable);
  process.job().Unpin(second);  // as if it were another's
}

TEST(JobPinTest, ATensorThatIsPinnedForGoodOutlivesItsArrays) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  TensorPtr tensor = process.New(kUnit);
  const uint64_t view = PinView(tensor.get());
  Pin(tensor.get());
  process.job().Unpin(view);
  EXPECT_TRUE(tensor->block->pinned);
  EXPECT_EQ(PinView(tensor.get()), 0u);
}

TEST(JobPinTest, TensorsWhoseArraysLastAreSetAsideFromTheNextStepOn) {
  SmallTraining training;
  uint64_t view = 0;  // the array lives until the next one is made
  const SmallTraining::Variation keeps{.in_third = [&] {
    training.process().job().Unpin(view);
    view = PinView(training.weight());
  }};
  const session::Segment& segment = *training.process().client().segment();
  while (segment.plans_taken == 0) training.Step(keeps);
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training, keeps);
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPinTest, APlanThatWantsToMoveWhatAnArraySeesLearnsOfIt) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kForward3, kBackward);
  });
  training.WarmUp();
  uint64_t view = 0;
  const SmallTraining::Variation keeps{
      .after_first = [&] { view = PinView(training.activation()); },
      .in_third = [&] { training.process().job().Unpin(view); }};
  for (int i = 0; i < 2; ++i) training.Step(keeps);
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training, keeps);
  EXPECT_THAT(training.process().Events(),
              ElementsAre("move-impossible", "address-taken"));
}

TEST(JobPinTest, TellsWhichOperandStandsInTheWayOfThePlan) {
  SmallTraining training([](session::PlanArea* plan) {
    MoveActivation(plan, /*from_tier=*/0, kBackward, kBackward);
  });
  training.WarmUp();
  Job& job = training.process().job();
  std::vector<uint64_t> before, in_the_way;
  uint64_t operand = 0;
  const SmallTraining::Variation collective{
      .after_first =
          [&] {
            operand = job.PinOperand(&training.activation()->storage);
            job.NoteUseBeside(operand);
            before = job.PinsInTheWay();
          },
      .in_third =
          [&] {
            in_the_way = job.PinsInTheWay();
            job.Unpin(operand);
          }};
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training, collective);
  EXPECT_THAT(before, IsEmpty());
  EXPECT_THAT(in_the_way, ElementsAre(operand));
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

// Pins a tensor that a kernel of another thread uses meanwhile, so that it
// stays where it is.
void PinInPlace(FakeTensor* tensor) {
  RunningKernel beside{.key = 7, .name = "beside", .auxiliary = true};
  tensor->job->BeginKernel(&beside, {{tensor->block, session::kOperandRead}});
  Pin(tensor);
  tensor->job->EndKernel(&beside, {});
}

void ExpectThatPlansDrive(SmallTraining* training) {
  training->WarmUp();
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(training);
  training->CheckContents();
  EXPECT_THAT(training->process().Events(), IsEmpty());
}

TEST(JobPinTest, APlanDrivesAlthoughAKernelUsedTheWeightThatWasPinned) {
  SmallTraining training;
  PinInPlace(training.weight());
  const char* address = training.weight()->storage.address;
  ExpectThatPlansDrive(&training);
  EXPECT_EQ(training.weight()->storage.address, address);
}

TEST(JobPinTest, APlanEndsBelowATensorThatStaysAtTheUpperEnd) {
  SmallTraining training(
      [](session::PlanArea* plan) { AddWindow(2 * kUnit, plan); });
  TensorPtr below = training.process().New(28 * kUnit);
  TensorPtr stays = training.process().New(2 * kUnit);
  PinInPlace(stays.get());
  below.reset();
  const int64_t offset_bytes = stays->block->place.offset_bytes;
  ASSERT_GT(offset_bytes, 20 * kUnit);
  ExpectThatPlansDrive(&training);
  EXPECT_EQ(stays->block->place.offset_bytes, offset_bytes);
  EXPECT_TRUE(FakeProcess::Intact(*stays));
  // The limit, without what is from the tensor on.
  EXPECT_GE(ReportedRoom(&training), 40 * kUnit - offset_bytes);
  EXPECT_LT(ReportedRoom(&training), 20 * kUnit);
}

TEST(JobPinTest, APlanDrivesAlthoughAnAddressWasReadBehindOurBack) {
  SmallTraining training;
  training.weight()->storage.movable = false;
  ExpectThatPlansDrive(&training);
}

TEST(JobPinTest, APlanIsMadeAnewForMemoryThatALibraryKeeps) {
  SmallTraining training;
  Job& job = training.process().job();
  void* scratch = job.Allocate(nullptr, 3 * kUnit);
  training.WarmUp();
  training.Step();
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training);
  EXPECT_THAT(training.process().Events(),
              ElementsAre("layout-taken", "plan-outgrown"));
  EXPECT_TRUE(job.Free(scratch));
}

TEST(JobPinTest, APlanGoesOnWithATensorThatIsPinnedWhereThePlanHasIt) {
  SmallTraining training(
      [](session::PlanArea* plan) { AddWindow(5 * kUnit, plan); });
  TensorPtr stays = training.process().New(20 * kUnit);
  training.WarmUp();
  ExpectPlannedStep(&training, {.in_third = [&] { PinInPlace(stays.get()); }});
  // The next step is profiled again; the one after it may not have that plan.
  training.process().agent().HoldMoves();
  ExpectPlannedStep(&training);
  EXPECT_THAT(training.process().Events(), IsEmpty());
}

TEST(JobPinTest, APlanThatHasATensorElsewhereThanWhereItStaysIsMadeAnew) {
  SmallTraining training;
  TensorPtr stays = training.process().New(8 * kUnit);
  training.Step();
  // In the profiled step, whose plan will have it somewhere.
  training.Step({.in_third = [&] { PinInPlace(stays.get()); }});
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepProfile);
  for (int i = 0; i < 3; ++i) ExpectPlannedStep(&training);
  EXPECT_TRUE(FakeProcess::Intact(*stays));
  EXPECT_THAT(training.process().Events(),
              ElementsAre("layout-taken", "plan-outgrown"));
}

TEST(JobPinTest, PinnedTensorsStandSideBySide) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 30; ++i) tensors.push_back(process.New(kUnit));
  const int64_t window_bytes = process.FastBytes() - 30 * kUnit;
  for (const int i : {20, 3, 11}) Pin(tensors[i].get());
  EXPECT_EQ(tensors[20]->block->place.offset_bytes, window_bytes);
  EXPECT_EQ(tensors[3]->block->place.offset_bytes, window_bytes + kUnit);
  EXPECT_EQ(tensors[11]->block->place.offset_bytes, window_bytes + 2 * kUnit);
  for (const TensorPtr& tensor : tensors) {
    EXPECT_TRUE(FakeProcess::Intact(*tensor));
  }
}

// Threads that load data take addresses while one that trains moves tensors.
TEST(JobPinTest, AnAddressToldWhileKernelsMoveTensorsStaysTheTensors) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 60; ++i) tensors.push_back(process.New(kUnit));
  std::vector<const char*> told;
  std::atomic<bool> done{false};
  std::thread loader([&] {
    for (int i = 0; i < 30; ++i) {
      Pin(tensors[2 * i].get());
      told.push_back(tensors[2 * i]->storage.address);
    }
    done = true;
  });
  while (!done) {
    for (const TensorPtr& tensor : tensors) {
      process.Run("use", {.reads = {tensor.get()}});
    }
  }
  loader.join();
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(tensors[2 * i]->storage.address, told[i]);
    EXPECT_TRUE(tensors[2 * i]->block->pinned);
    EXPECT_FALSE(tensors[2 * i + 1]->block->pinned);
  }
}

TEST(JobPinTest, TheLeastLimitHasRoomForWhatIsPinned) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_fraction = 0.25});
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 16; ++i) {
    tensors.push_back(process.New(kUnit));
    if (i % 2 == 0) Pin(tensors.back().get());
    EXPECT_TRUE(tensors.back()->fast());
  }
  process.job().EndStep();
  process.Run("use", {.reads = {tensors[0].get()}});
  process.job().BeforeUpdate();
  EXPECT_THROW(process.job().EndStep(), std::runtime_error);
  EXPECT_GE(process.client().segment()->report.least_limit_bytes, 8 * kUnit);
}

TEST(JobPinTest, AnUnlimitedJobMovesNothing) {
  FakeProcess process({.fast_bytes = 60 * kUnit, .slow_bytes = 100 * kUnit});
  TensorPtr first = process.New(kUnit), second = process.New(kUnit);
  const char* address = second->storage.address;
  Pin(second.get());
  EXPECT_EQ(second->storage.address, address);
}

// Tells the address of the tensor's storage, and returns it.
const char* Tell(FakeTensor* tensor) {
  tensor->job->TellAddress(&tensor->storage, /*may_write=*/false);
  return tensor->storage.address;
}

TEST(JobPinTest, NoTwoStoragesAreToldTheSameAddressInAStep) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back(process.New(15 * kUnit));
  std::set<const char*> told;
  for (const TensorPtr& tensor : tensors) {
    process.Run("use", {.reads = {tensor.get()}});  // others leave for it
    EXPECT_TRUE(told.insert(Tell(tensor.get())).second);
    EXPECT_TRUE(FakeProcess::Intact(*tensor));
  }
  process.Run("use", {.reads = {tensors[0].get(), tensors[1].get()}});
  EXPECT_TRUE(FakeProcess::Intact(*tensors[0]));
}

TEST(JobPinTest, AStorageIsPinnedAtTheAddressThatWasToldAsItsName) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  TensorPtr below = process.New(10 * kUnit);
  TensorPtr named = process.New(10 * kUnit);
  TensorPtr other = process.New(10 * kUnit);
  const char* name = Tell(named.get());
  below.reset();  // a pinned tensor would move to its room
  Pin(named.get());
  Pin(other.get());
  EXPECT_EQ(named->storage.address, name);
  EXPECT_LT(other->storage.address, name);
}

TEST(JobPinTest, ATensorThatIsHeldStaysWhereItIsAndMayMoveLater) {
  FakeProcess process({.fast_bytes = 60 * kUnit,
                       .slow_bytes = 100 * kUnit,
                       .limit_bytes = 40 * kUnit});
  std::vector<TensorPtr> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back(process.New(15 * kUnit));
  std::vector<uint64_t> views;
  for (const TensorPtr& tensor : tensors) {
    const char* address = tensor->storage.address;
    views.push_back(process.job().Hold(&tensor->storage));
    EXPECT_NE(views.back(), 0u);
    EXPECT_EQ(tensor->storage.address, address);
    EXPECT_TRUE(tensor->block->pinned);
  }
  for (const uint64_t view : views) process.job().Unpin(view);
  for (const TensorPtr& tensor : tensors) EXPECT_FALSE(tensor->block->pinned);
}

}  // namespace
}  // namespace stowage::runtime
