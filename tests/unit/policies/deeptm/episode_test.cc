#include "policies/deeptm/episode.h"

#include <functional>
#include <map>

#include "gtest/gtest.h"
#include "policies/deeptm/dqn/reward.h"
#include "policies/deeptm/heat_actor.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/simulate/simulator.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"
#include "tests/unit/policies/sizes.h"

namespace stowage::policies {
namespace {

// Does the same with all living tensors.
class UniformActor : public Actor {
 public:
  explicit UniformActor(bool fast) : fast_(fast) {}

  void Act(const KernelState& state, std::vector<Action>& actions) override {
    for (Action& action : actions) action.fast = fast_;
    kernels.push_back(state.kernel);
  }
  void Learn(KernelIndex, const std::vector<TensorReward>& given) override {
    rewards.emplace_back();
    for (const TensorReward& reward : given) {
      rewards.back()[reward.tensor] += reward.reward;
    }
  }

  std::vector<KernelIndex> kernels;
  std::vector<std::map<TensorIndex, float>> rewards;  // by kernel

 private:
  const bool fast_;
};

struct Setting {
  Setting(Graph graph, int64_t limit_bytes, MigrationMode mode)
      : graph(std::move(graph)),
        system(*PresetMemorySystem("optane")),
        workload(*MakeWorkload(this->graph, system, limit_bytes)),
        environment(*Environment::Make(this->graph, system, workload, mode,
                                       HeatSettings())) {}

  std::vector<bool> Start(bool fast) const {
    return std::vector<bool>(graph.tensors.size(), fast);
  }

  const Graph graph;
  const MemorySystem system;
  const Workload workload;
  const Environment environment;
};

// Returns a step of two weights of 8 MiB, one of which fits; kernel k reads
// weight k % 2.
Graph TwoWeights() {
  LayeredStep step({0, 0, 0, 0}, /*kernel_ns=*/1000);
  const TensorIndex a = step.AddPersistent(8 * kMiB);
  const TensorIndex b = step.AddPersistent(8 * kMiB);
  for (KernelIndex k = 0; k < 4; ++k) step.Read(k, k % 2 == 0 ? a : b);
  return step.graph();
}

class EpisodeModeTest : public testing::TestWithParam<MigrationMode> {};

// The paper's C_total (eq. 1 to 7) agrees with the simulator.
TEST_P(EpisodeModeTest, TakesAsLongAsTheSimulatorSays) {
  for (uint64_t seed = 1; seed <= 3; ++seed) {
    const Graph graph = TrainingStepGraph(8, seed);
    const int64_t limit = ComputeLiveness(graph).peak_bytes / 3;
    const Setting setting(graph, limit, GetParam());
    const int64_t budget = setting.workload.arena_bytes;
    HeatActor actor(setting.environment, budget, HeatSettings());
    const EpisodeOptions options{
        .budget_bytes = budget, .record = true, .cyclic = true};
    const EpisodeOutcome outcome =
        RunEpisode(setting.environment, options,
                   FindSteadyStart(setting.environment, options, actor), actor);
    const Plan sketch = SketchPlan(
        setting.graph, setting.system,
        {.residencies = outcome.residencies, .fast_limit_bytes = limit});
    const auto simulation = Simulate(setting.graph, setting.system, sketch);
    ASSERT_TRUE(simulation.ok()) << simulation.status();
    EXPECT_GT(sketch.moves.size(), 0u);
    EXPECT_NEAR(simulation->prediction.step_time_ns, outcome.step_time_ns,
                1e-6 * outcome.step_time_ns);
    EXPECT_LE(simulation->prediction.fast_peak_bytes, limit);
  }
}

TEST_P(EpisodeModeTest, AsksOnlyAtKernelsThatAreShortOfFastMemory) {
  const Graph graph = TrainingStepGraph(8, 1);
  const Setting setting(graph, ComputeLiveness(graph).peak_bytes / 2,
                        GetParam());
  UniformActor actor(true);
  RunEpisode(setting.environment,
             {.budget_bytes = setting.workload.arena_bytes},
             setting.Start(false), actor);
  EXPECT_FALSE(actor.kernels.empty());
  for (KernelIndex k : actor.kernels) {
    EXPECT_TRUE(setting.environment.IsShort(k)) << "kernel " << k;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, EpisodeModeTest,
                         testing::Values(MigrationMode::kSynchronous,
                                         MigrationMode::kAsynchronous));

// Eq. 8: an input earns what the kernel would lose with it slow, less what the
// kernel waited.
TEST(EpisodeTest, RewardsFastInputsAndChargesMigrations) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  const Environment& environment = setting.environment;
  std::vector<bool> start = setting.Start(false);
  start[0] = true;
  const EpisodeOptions options{
      .budget_bytes = 9 * kMiB, .time_weight = 0.5, .learn = true};
  UniformActor actor(true);
  RunEpisode(environment, options, start, actor);
  // Weight 0 is there and stays; weight 1 finds no room.
  ASSERT_EQ(actor.rewards.size(), 4u);
  const double saved = 0.5 * environment.LossNs(0, 0);
  EXPECT_GT(saved, 0);
  EXPECT_FLOAT_EQ(actor.rewards[0][0], saved / environment.mean_loss_ns());
  EXPECT_EQ(actor.rewards[1].count(0), 0u);

  UniformActor leaving(false);
  RunEpisode(environment, options, start, leaving);
  const double waited = 0.5 * environment.OutNs(0);
  EXPECT_FLOAT_EQ(leaving.rewards[0][0], -waited / environment.mean_loss_ns());
}

// Memory has a price in eq. 13, and so has the room that is held of it.
TEST(EpisodeTest, ChargesForTheRoomThatIsHeld) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  std::vector<bool> start = setting.Start(false);
  start[0] = true;
  UniformActor actor(true);
  RunEpisode(setting.environment,
             {.budget_bytes = 9 * kMiB,
              .time_weight = 0,
              .room_weight = 1,
              .learn = true},
             start, actor);
  EXPECT_FLOAT_EQ(actor.rewards[1][0], -0.5);
  EXPECT_EQ(actor.rewards[1][1], 0);
}

TEST(EpisodeTest, WhatIsAccessedLastIsPunishedForAskingForTooMuch) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  UniformActor actor(true);
  RunEpisode(setting.environment,
             {.budget_bytes = 9 * kMiB,
              .oom_tolerance = 2,
              .oom_penalty = 3,
              .time_weight = 0,
              .learn = true},
             setting.Start(false), actor);
  // Kernel 1 is next: it reads weight 1.
  ASSERT_FALSE(actor.rewards.empty());
  EXPECT_FLOAT_EQ(actor.rewards[0][0], -3.0f * 8 / 9);
  EXPECT_EQ(actor.rewards[0][1], 0);
}

TEST(EpisodeTest, AskingForFarMoreThanThereIsEndsTheEpisode) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  UniformActor actor(true);
  const EpisodeOutcome outcome = RunEpisode(
      setting.environment,
      {.budget_bytes = 9 * kMiB, .oom_tolerance = 0.5, .learn = true},
      setting.Start(false), actor);
  EXPECT_TRUE(outcome.out_of_memory);
  EXPECT_EQ(actor.kernels, std::vector<KernelIndex>{0});
}

TEST(EpisodeTest, AsynchronousMigrationsHoldRoomOnBothSides) {
  // Weight 0 leaves while kernel 0 runs, so weight 1 finds no room before
  // kernel 1 (eq. 7).
  class Swap : public Actor {
    void Act(const KernelState& state, std::vector<Action>& actions) override {
      for (size_t i = 0; i < actions.size(); ++i) {
        actions[i].fast = state.decisions[i].tensor == 1;
      }
    }
  };
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kAsynchronous);
  std::vector<bool> start = setting.Start(false);
  start[0] = true;
  Swap actor;
  const EpisodeOutcome outcome = RunEpisode(
      setting.environment,
      {.budget_bytes = 9 * kMiB, .record = true, .cyclic = true}, start, actor);
  std::vector<Residency> second;
  for (const Residency& residency : outcome.residencies) {
    if (residency.tensor == 1) second.push_back(residency);
  }
  ASSERT_FALSE(second.empty());
  EXPECT_EQ(second.front().begin, 1);
  EXPECT_EQ(second.front().ready, 2);
}

TEST(RewardTest, AllFastIsOneAndAllSlowIsNothing) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  const Environment& environment = setting.environment;
  EXPECT_EQ(NormalisedTime(environment, environment.fastest_ns()), 0);
  EXPECT_EQ(NormalisedTime(environment, environment.slowest_ns()), 1);
  DqnSettings settings;
  settings.cost_priority = 1;
  EpisodeOutcome outcome;
  outcome.step_time_ns = environment.fastest_ns();
  EXPECT_EQ(EpisodicReward(environment, outcome, settings, {2, 1}),
            settings.fixed_reward);
}

TEST(RewardTest, WithBetaZeroCheaperMemoryIsBetterAndTimeDoesNotMatter) {
  const Setting setting(TwoWeights(), 9 * kMiB, MigrationMode::kSynchronous);
  DqnSettings settings;
  settings.cost_priority = 0;
  const UnitPrices prices{23.81, 7.85};
  EpisodeOutcome cheap{.step_time_ns = 1'000'000'000,
                       .slow_peak_bytes = 16 * kMiB};
  EpisodeOutcome expensive{.step_time_ns = 1,
                           .fast_peak_bytes = 8 * kMiB,
                           .slow_peak_bytes = 8 * kMiB};
  EXPECT_EQ(NormalisedPrice(setting.environment, cheap, prices), 0);
  EXPECT_GT(EpisodicReward(setting.environment, cheap, settings, prices),
            EpisodicReward(setting.environment, expensive, settings, prices));
}

}  // namespace
}  // namespace stowage::policies
