// Runs steps that are off their plan: what they state, and which hints they
// follow.
#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/unit/client_sdk/runtime/small_training.h"

namespace stowage::runtime {
namespace {

using ::testing::Contains;
using ::testing::Not;

constexpr int kStepKernels = 6;
constexpr const char* kNames[kStepKernels] = {"0", "1", "2", "3", "4", "5"};
constexpr int kAsks = 0;      // the first kernel states the situation,
constexpr int kAnswered = 1;  // the second runs until the answer is there
constexpr uint64_t kSeed = 20260101;

// Plans to move the batch before the second kernel, when another thread uses
// it. Every step leaves such a plan there, so that it is made anew ever more
// rarely, and then tried rarely.
bool PlanThatFails(const session::ProfileArea& profile,
                   session::PlanArea* plan) {
  PlanIdentity(profile, plan);
  const session::PlanInitial* batch = std::find_if(
      plan->initial, plan->initial + plan->initial_count,
      [](const session::PlanInitial& i) { return i.size_bytes == kUnit; });
  AddMove(plan, *batch, /*from_tier=*/0, /*start=*/1, /*deadline=*/1);
  return true;
}

struct Shape {
  bool slow_is_file = true;
  int64_t fourth_birth_bytes = 0;
};

// Runs six kernels. The first and the last one read the weight, all of them
// read the batch; the first two bear a tensor each, of which the first dies in
// the middle.
class GuidedTraining {
 public:
  explicit GuidedTraining(Adviser adviser, const Shape& shape = Shape{})
      : shape_(shape),
        process_({.fast_bytes = 60 * kUnit,
                  .slow_bytes = 100 * kUnit,
                  .slow_is_file = shape.slow_is_file,
                  .limit_bytes = 20 * kUnit,
                  .planner = PlanThatFails,
                  .adviser = std::move(adviser)}),
        batch_(process_.New(kUnit)),
        weight_(process_.New(2 * kUnit)) {
    for (auto& body : bodies) body = [] {};
    bodies[kAnswered] = [this] { AwaitAnswer(); };
  }

  void Step() {
    std::vector<TensorPtr> born;
    for (int k = 0; k < kStepKernels; ++k) {
      FakeKernel kernel{.reads = {batch_.get()}, .body = bodies[k]};
      if (k == 0 || k == kStepKernels - 1) {
        kernel.reads.push_back(weight_.get());
      }
      if (k < 2) kernel.births.push_back((k + 1) * kUnit);
      RunningKernel beside{.key = 7, .name = "beside", .auxiliary = true};
      if (k == 1) {
        process_.job().BeginKernel(&beside,
                                   {{batch_->block, session::kOperandRead}});
      }
      if (k == 3 && shape_.fourth_birth_bytes > 0) {
        kernel.births.push_back(shape_.fourth_birth_bytes);
      }
      for (TensorPtr& tensor : process_.Run(kNames[k], kernel)) {
        born.push_back(std::move(tensor));
      }
      process_.job().EndKernel(&beside, {});
      if (k == 2) born.front().reset();
    }
    born.clear();
    process_.job().EndStep();
  }
  // Trains until steps are guided from their first kernel on.
  void WarmUp() {
    size_t events;
    uint64_t stated;
    do {
      events = process_.Events().size();
      stated = process_.agent().segment().situations_stated;
      Step();
    } while (process_.Events().size() > events ||
             process_.agent().segment().situations_stated == stated);
  }
  void AwaitAnswer() {
    session::Segment& segment = process_.agent().segment();
    while (segment.situations_answered != segment.situations_stated) {
      std::this_thread::yield();
    }
  }
  void AwaitMoves() {
    for (session::MoveLane& lane : process_.agent().segment().lanes) {
      while (lane.completed != lane.issued) std::this_thread::yield();
    }
  }

  FakeProcess& process() { return process_; }
  FakeTensor* weight() { return weight_.get(); }
  const session::StepRecord& last() { return process_.last_step(); }

  std::array<std::function<void()>, kStepKernels> bodies;

 private:
  const Shape shape_;
  FakeProcess process_;
  TensorPtr batch_, weight_;
};

// Returns a tensor of the plan; these are blocks of the profile in its order.
int32_t TensorOfSize(FakeProcess& process, int64_t size_bytes, bool born) {
  const session::ProfileArea& profile = process.agent().segment().profile;
  for (uint32_t i = 0; i < profile.block_count; ++i) {
    const session::BlockRecord& block = profile.blocks[i];
    if (block.size_bytes == size_bytes && (block.birth_kernel >= 0) == born) {
      return static_cast<int32_t>(i);
    }
  }
  return -1;
}

// Holds answers that a test fills in once it knows the tensors.
class Advice {
 public:
  Adviser adviser() {
    return [this](const session::SituationArea& situation,
                  session::HintArea* area) {
      situation_.plan = situation.plan;
      situation_.kernel = situation.kernel;
      situation_.residents.assign(
          situation.residents, situation.residents + situation.resident_count);
      situation_.fast_free_bytes = situation.free_bytes[0];
      area->hint_count = hints.size();
      std::copy(hints.begin(), hints.end(), area->hints);
    };
  }

  struct Stated {
    uint64_t plan = 0;
    int32_t kernel = -1;
    std::vector<session::Resident> residents;
    int64_t fast_free_bytes = -1;
  };
  const Stated& stated() const { return situation_; }

  std::vector<session::Hint> hints;

 private:
  Stated situation_;
};

TEST(JobHintsTest, AStepThatFollowsItsPlanStatesNothing) {
  SmallTraining training;
  training.WarmUp();
  for (int i = 0; i < 3; ++i) training.Step();
  EXPECT_EQ(training.last().mode, session::kStepPlan);
  EXPECT_EQ(training.process().agent().segment().situations_stated, 0u);
}

TEST(JobHintsTest, AStepThatLeavesItsPlanStatesWhatIsWhere) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  while (training.process().Events().empty()) training.Step();
  EXPECT_THAT(training.process().Events(), Contains("move-impossible"));
  const Advice::Stated& stated = advice.stated();
  EXPECT_EQ(stated.plan, 1u);
  EXPECT_EQ(stated.kernel, 1);  // where the plan ended
  EXPECT_EQ(stated.residents.size(), 3u);
  for (const session::Resident& resident : stated.residents) {
    EXPECT_EQ(resident.tier, session::kFastTier);
  }
  EXPECT_GT(stated.fast_free_bytes, 0);
  EXPECT_LT(stated.fast_free_bytes, 20 * kUnit);
}

TEST(JobHintsTest, APlanThatEveryStepLeavesIsMadeAnew) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  while (training.process().Events().size() <= PlanLibrary::kMaxSurprises) {
    training.Step();
  }
  EXPECT_EQ(training.process().Events().back(), "plan-outgrown");
  training.Step();
  EXPECT_EQ(training.last().mode, session::kStepProfile);
}

TEST(JobHintsTest, AKernelThatThePlanDoesNotHaveEndsTheGuidance) {
  SmallTraining training;
  training.WarmUp();
  training.Step({.second_kernel = "dropout"});
  EXPECT_THAT(training.process().Events(), Contains("kernel-sequence"));
  EXPECT_EQ(training.process().agent().segment().situations_stated, 0u);
}

TEST(JobHintsTest, ATensorLeavesAndComesBackAheadOfItsUse) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  training.WarmUp();
  const int32_t weight =
      TensorOfSize(training.process(), 2 * kUnit, /*born=*/false);
  advice.hints = {{.kernel = 2, .tensor = weight, .tier = 1},
                  {.kernel = 4, .tensor = weight, .tier = 0}};
  training.bodies[2] = [&] { training.AwaitMoves(); };
  bool left = false, came_back = false;
  training.bodies[3] = [&] { left = !training.weight()->fast(); };
  training.bodies[4] = [&] { training.AwaitMoves(); };
  training.bodies[5] = [&] { came_back = training.weight()->fast(); };
  const int64_t executed = training.process().agent().moves_executed();
  training.Step();
  EXPECT_EQ(advice.stated().kernel, kAsks);
  EXPECT_TRUE(left);
  EXPECT_TRUE(came_back);
  EXPECT_EQ(training.process().agent().moves_executed(), executed + 2);
  EXPECT_EQ(training.last().hints_taken, 2);
  EXPECT_EQ(training.last().hints_ignored, 0);
  EXPECT_EQ(training.last().moved_out_bytes, 2 * kUnit);
  EXPECT_EQ(training.last().moved_in_bytes, 2 * kUnit);
}

TEST(JobHintsTest, AnOperandThatIsLeavingStays) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  training.WarmUp();
  const int32_t weight =
      TensorOfSize(training.process(), 2 * kUnit, /*born=*/false);
  advice.hints = {{.kernel = 4, .tensor = weight, .tier = 1}};
  bool fast = false;
  training.bodies[5] = [&] { fast = training.weight()->fast(); };
  training.Step();
  EXPECT_EQ(training.last().hints_taken, 1);
  EXPECT_TRUE(fast);
  EXPECT_EQ(training.last().moved_out_bytes, 0);
}

TEST(JobHintsTest, IgnoresHintsForOperandsOfTheKernelAndForTheDead) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  training.WarmUp();
  FakeProcess& process = training.process();
  const int32_t weight = TensorOfSize(process, 2 * kUnit, false);
  const int32_t first = TensorOfSize(process, kUnit, /*born=*/true);
  advice.hints = {{.kernel = 4, .tensor = first, .tier = 1},
                  {.kernel = 5, .tensor = weight, .tier = 1}};
  training.Step();
  EXPECT_EQ(training.last().hints_taken, 0);
  EXPECT_EQ(training.last().hints_ignored, 2);
  EXPECT_TRUE(training.weight()->fast());
}

TEST(JobHintsTest, AFetchEvictsNothing) {
  Advice advice;
  GuidedTraining training(advice.adviser(), {.fourth_birth_bytes = 16 * kUnit});
  training.WarmUp();
  const int32_t weight =
      TensorOfSize(training.process(), 2 * kUnit, /*born=*/false);
  advice.hints = {{.kernel = 4, .tensor = weight, .tier = 0}};
  bool weight_left = false;
  training.bodies[4] = [&] { weight_left = !training.weight()->fast(); };
  training.Step();
  EXPECT_TRUE(weight_left);  // for what the fourth kernel bore
  EXPECT_EQ(training.last().hints_taken, 0);
  EXPECT_LE(training.last().fast_peak_bytes, 20 * kUnit);
}

TEST(JobHintsTest, ATensorIsBornInSlowMemoryThatKernelsCanUse) {
  for (const bool slow_is_file : {false, true}) {
    Advice advice;
    GuidedTraining training(advice.adviser(), {.slow_is_file = slow_is_file});
    training.WarmUp();
    const int32_t second =
        TensorOfSize(training.process(), 2 * kUnit, /*born=*/true);
    advice.hints = {{.kernel = 1, .tensor = second, .tier = 1}};
    // The answer is there when the second kernel begins.
    training.bodies[0] = [&] { training.AwaitAnswer(); };
    training.Step();
    EXPECT_EQ(training.last().hints_taken, slow_is_file ? 0 : 1);
    EXPECT_EQ(training.last().hints_ignored, slow_is_file ? 1 : 0);
  }
}

TEST(JobHintsTest, RefusesHintsThatNameNoTensor) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  training.WarmUp();
  advice.hints = {{.kernel = 2, .tensor = 1 << 20, .tier = 1}};
  training.Step();
  EXPECT_THAT(training.process().Events(), Contains("hints-malformed"));
  EXPECT_EQ(training.last().hints_taken, 0);
}

TEST(JobHintsTest, AnAgentThatDiesLeavesHintedMovesToTheProcess) {
  Advice advice;
  GuidedTraining training(advice.adviser());
  training.WarmUp();
  const int32_t weight =
      TensorOfSize(training.process(), 2 * kUnit, /*born=*/false);
  advice.hints = {{.kernel = 2, .tensor = weight, .tier = 1}};
  training.bodies[kAnswered] = [&] {
    training.AwaitAnswer();
    training.process().agent().HoldMoves();
  };
  training.bodies[3] = [&] { training.process().agent().HangUp(); };
  for (int i = 0; i < 2; ++i) training.Step();
  EXPECT_TRUE(FakeProcess::Intact(*training.weight()));
  EXPECT_THAT(training.process().Events(), Contains("agent-lost"));
}

// Whatever is advised, kernels read what was written (FakeProcess checks every
// byte) and the limit holds.
TEST(JobHintsTest, HintsOfAnyKindChangeNoByteAndKeepTheLimit) {
  std::mt19937_64 random(kSeed);
  std::atomic<int> tensors{1};
  GuidedTraining training(
      [&](const session::SituationArea& situation, session::HintArea* area) {
        area->hint_count = 0;
        for (int32_t k = situation.kernel; k < kStepKernels; ++k) {
          for (int i = random() % 4; i > 0; --i) {
            area->hints[area->hint_count++] = {
                .kernel = k,
                .tensor = static_cast<int32_t>(random() % tensors),
                .tier = static_cast<int32_t>(random() % 2)};
          }
        }
      });
  training.WarmUp();
  tensors = training.process().agent().segment().plans[1].tensor_count;
  int64_t taken = 0;
  TensorPtr stranger;  // makes fast memory scarce
  for (int i = 0; i < 400; ++i) {
    if (i % 8 == 0) stranger.reset();
    if (i % 8 == 1) stranger = training.process().New((8 + i % 9) * kUnit);
    training.Step();
    taken += training.last().hints_taken;
    EXPECT_LE(training.last().fast_peak_bytes, 20 * kUnit);
    if (stranger != nullptr) {
      EXPECT_TRUE(FakeProcess::Intact(*stranger));
    }
  }
  EXPECT_GT(taken, 20);
  EXPECT_THAT(training.process().Events(), Not(Contains("hints-malformed")));
}

}  // namespace
}  // namespace stowage::runtime
