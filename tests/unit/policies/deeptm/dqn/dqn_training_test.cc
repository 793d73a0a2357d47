#include "policies/deeptm/dqn/dqn_training.h"

#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/dqn/learner.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "policies/verify/verifier.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"
#include "tests/unit/policies/layered_step.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

using ::testing::HasSubstr;

// Returns settings of few and quick episodes.
DqnSettings Quick() {
  DqnSettings settings;
  settings.episodes = 12;
  settings.greedy_episodes = 8;
  settings.updates_per_episode = 20;
  settings.evaluation_interval = 4;
  return settings;
}

bool GoOn(const EpisodeReport&) { return true; }

class DqnTrainingTest : public testing::Test {
 protected:
  absl::StatusOr<DqnPolicy> Train(
      const DqnSettings& settings, int64_t seed,
      absl::FunctionRef<bool(const EpisodeReport&)> on_episode = GoOn,
      const DqnPolicy* start = nullptr) const {
    return TrainDqn(graph_, system_, limit_bytes_, settings, seed, start,
                    on_episode);
  }

  const Graph graph_ = TrainingStepGraph(4, 1);
  const MemorySystem system_ = *PresetMemorySystem("optane");
  const int64_t limit_bytes_ = ComputeLiveness(graph_).peak_bytes / 4;
};

TEST_F(DqnTrainingTest, GivesTheSamePolicyForTheSameSeed) {
  const auto one = Train(Quick(), 3), two = Train(Quick(), 3);
  const auto other = Train(Quick(), 4);
  ASSERT_TRUE(one.ok() && two.ok() && other.ok()) << one.status();
  EXPECT_EQ(EncodeDqnPolicy(*one), EncodeDqnPolicy(*two));
  EXPECT_NE(one->weights, other->weights);
}

TEST_F(DqnTrainingTest, ReportsEveryEpisodeAndMakesASoundPlan) {
  std::vector<EpisodeReport> reports;
  const auto policy = Train(Quick(), 1, [&](const EpisodeReport& report) {
    reports.push_back(report);
    EXPECT_TRUE(DecodeDqnPolicy(EncodeDqnPolicy(*report.checkpoint)).ok());
    return true;
  });
  ASSERT_TRUE(policy.ok()) << policy.status();
  ASSERT_EQ(reports.size(), 12u);
  EXPECT_EQ(reports.back().episode, 12);
  EXPECT_DOUBLE_EQ(reports.front().greedy_probability, 0.1);
  EXPECT_DOUBLE_EQ(reports.back().greedy_probability, 1.0);
  EXPECT_EQ(policy->episodes_done, 12);
  EXPECT_GT(policy->step_time_ns, 0);
  const auto plan =
      PlanWithDqn(*policy, graph_, system_, {.fast_limit_bytes = limit_bytes_});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(VerifyPlan(graph_, system_, *plan), absl::OkStatus());
}

TEST_F(DqnTrainingTest, ReturnsWhatItHasWhenCancelledAndGoesOnFromThere) {
  const auto cancelled = Train(Quick(), 1, [](const EpisodeReport& report) {
    return report.episode < 5;
  });
  ASSERT_TRUE(cancelled.ok());
  EXPECT_EQ(cancelled->episodes_done, 5);
  std::vector<int> episodes;
  const auto resumed = Train(
      Quick(), 1,
      [&](const EpisodeReport& report) {
        episodes.push_back(report.episode);
        return true;
      },
      &*cancelled);
  ASSERT_TRUE(resumed.ok()) << resumed.status();
  EXPECT_EQ(episodes.front(), 6);
  EXPECT_EQ(resumed->episodes_done, 12);
  // A finished training begins a new schedule, with the weights it had.
  episodes.clear();
  const auto again = Train(
      Quick(), 1,
      [&](const EpisodeReport& report) {
        episodes.push_back(report.episode);
        return false;
      },
      &*resumed);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(episodes, std::vector<int>{1});
}

TEST_F(DqnTrainingTest, AGraphThatFitsNeedsNoTraining) {
  int episodes = 0;
  const int64_t enough = 2 * ComputeLiveness(graph_).peak_bytes;
  const auto policy =
      TrainDqn(graph_, system_, enough, Quick(), 1, nullptr,
               [&](const EpisodeReport&) { return ++episodes; });
  ASSERT_TRUE(policy.ok()) << policy.status();
  EXPECT_TRUE(policy->fits);
  EXPECT_EQ(episodes, 0);
  ASSERT_TRUE(DecodeDqnPolicy(EncodeDqnPolicy(*policy)).ok());
  const auto plan =
      PlanWithDqn(*policy, graph_, system_, {.fast_limit_bytes = enough});
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(plan->fits);
  EXPECT_EQ(
      PlanWithDqn(*policy, graph_, system_, {.fast_limit_bytes = limit_bytes_})
          .status()
          .code(),
      absl::StatusCode::kFailedPrecondition);
}

TEST_F(DqnTrainingTest, DivergenceIsAnErrorThatSaysWhatToDo) {
  DqnSettings settings = Quick();
  settings.learning_rate = 1e37;
  const auto policy = Train(settings, 1);
  EXPECT_EQ(policy.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(policy.status().message()),
              HasSubstr("lower learning_rate"));
}

TEST_F(DqnTrainingTest, RefusesSettingsStartsAndLimitsThatCannotWork) {
  DqnSettings settings = Quick();
  settings.cost_priority = 2;
  EXPECT_EQ(Train(settings, 1).status().code(),
            absl::StatusCode::kInvalidArgument);
  const DqnPolicy stranger =
      UntrainedPolicy(TrainingStepGraph(3, 1), system_, limit_bytes_);
  EXPECT_EQ(Train(Quick(), 1, GoOn, &stranger).status().code(),
            absl::StatusCode::kInvalidArgument);
  // Files cannot be used in place, so that a kernel's operands have to fit.
  const MemorySystem file = *PresetMemorySystem("file");
  const auto refused = TrainDqn(graph_, file, 4096, Quick(), 1, nullptr, GoOn);
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(DqnTrainingTest, TheStepTimeIsThatOfThePlan) {
  const auto policy = Train(Quick(), 2);
  ASSERT_TRUE(policy.ok()) << policy.status();
  const auto plan =
      PlanWithDqn(*policy, graph_, system_, {.fast_limit_bytes = limit_bytes_});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(policy->step_time_ns, plan->prediction.step_time_ns);
}

// Returns transitions of two states: in state 0 fast earns 1, in state 1 slow
// does.
std::vector<Transition> TwoStates() {
  std::vector<Transition> batch;
  for (int i = 0; i < 32; ++i) {
    const bool fast = i % 2 == 0, second = i % 4 < 2;
    Transition transition{.fast = fast, .last = true};
    transition.state[1] = second ? 1.0f : 0.0f;
    transition.reward = fast != second ? 1.0f : 0.0f;
    batch.push_back(transition);
  }
  return batch;
}

TEST(LearnerTest, LearnsWhichActionEarnsMore) {
  DqnSettings settings;
  settings.learning_rate = 1e-2;
  settings.target_interval = 8;
  Learner learner(settings, RandomWeights(ShapeOf(settings), 1));
  const std::vector<Transition> batch = TwoStates();
  double loss = 1;
  for (int i = 0; i < 300; ++i) loss = learner.Update(batch);
  EXPECT_LT(loss, 0.01);
  const QNetwork network(ShapeOf(settings), learner.MeanWeights());
  StateVector states[2] = {};
  states[1][1] = 1;
  ActionValues values[2];
  network.Evaluate(states, 2, values);
  EXPECT_GT(values[0][0], values[0][1]);
  EXPECT_LT(values[1][0], values[1][1]);
}

// If one action is as good as the other and earns 1 over and over, the sum is 1
// / (1 - gamma): 10.
float LearntOfEndlessReward(double value_bound) {
  DqnSettings settings;
  settings.learning_rate = 1e-2;
  settings.target_interval = 8;
  settings.discount = 0.9;
  settings.value_bound = value_bound;
  Learner learner(settings, RandomWeights(ShapeOf(settings), 1));
  std::vector<Transition> batch = {{.fast = true, .reward = 1},
                                   {.fast = false, .reward = 1}};
  for (int i = 0; i < 600; ++i) learner.Update(batch);
  const QNetwork network(ShapeOf(settings), learner.MeanWeights());
  const StateVector state = {};
  ActionValues values;
  network.Evaluate(&state, 1, &values);
  return values[0];
}

TEST(LearnerTest, NoActionIsExpectedToEarnMoreThanTheBound) {
  EXPECT_NEAR(LearntOfEndlessReward(3), 3, 0.1);
  EXPECT_GT(LearntOfEndlessReward(0), 6);
}

TEST(LearnerTest, TheMeanGoesAShareOfTheWay) {
  DqnSettings settings;
  const std::vector<float> weights = RandomWeights(ShapeOf(settings), 1);
  const auto mean_after_a_step = [&](int32_t target_interval) {
    settings.target_interval = target_interval;
    Learner learner(settings, weights);
    learner.Update(TwoStates());
    return learner.MeanWeights();
  };
  const std::vector<float> all = mean_after_a_step(1);
  const std::vector<float> share = mean_after_a_step(4);
  EXPECT_NE(all, weights);
  for (size_t i = 0; i < weights.size(); ++i) {
    EXPECT_NEAR(share[i] - weights[i], (all[i] - weights[i]) / 4, 1e-6);
  }
}

TEST(LearnerTest, TheLearningRateCanChange) {
  DqnSettings settings;
  settings.target_interval = 1;
  const std::vector<float> weights = RandomWeights(ShapeOf(settings), 1);
  Learner learner(settings, weights);
  learner.SetLearningRate(0);
  learner.Update(TwoStates());
  EXPECT_EQ(learner.MeanWeights(), weights);
}

}  // namespace
}  // namespace stowage::policies
