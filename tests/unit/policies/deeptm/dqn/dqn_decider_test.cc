#include "policies/deeptm/dqn/dqn_decider.h"

#include <cmath>

#include "gtest/gtest.h"
#include "policies/deeptm/dqn/dqn_actor.h"
#include "policies/deeptm/episode.h"
#include "policies/model/liveness.h"
#include "policies/model/presets.h"
#include "tests/unit/policies/deeptm/dqn/untrained.h"
#include "tests/unit/policies/random_graph.h"

namespace stowage::policies {
namespace {

// Asks the decider beside the network in the episode.
class ComparingActor : public DqnActor {
 public:
  ComparingActor(const QNetwork& network, const DqnDecider& decider,
                 const Environment& environment, int64_t budget_bytes)
      : DqnActor(network),
        decider_(decider),
        environment_(environment),
        budget_bytes_(budget_bytes) {}

  void Act(const KernelState& state, std::vector<Action>& actions) override {
    DqnActor::Act(state, actions);
    const double room = environment_.RoomBytes(state.kernel, budget_bytes_);
    const double slow = environment_.slow_capacity_bytes();
    KernelSituation situation{
        .kernel = state.kernel,
        .fast_left_bytes = std::llround(state.fast_left * room),
        .slow_left_bytes = std::llround(state.slow_left * slow)};
    const Graph& graph = environment_.graph();
    for (TensorIndex t = 0; t < graph.tensor_count(); ++t) {
      if (!AliveAt(graph.tensors[t], state.kernel)) continue;
      situation.living.push_back({t, state.positions[t]});
    }
    const auto decided = decider_.Decide(situation);
    ASSERT_TRUE(decided.ok()) << decided.status();
    ASSERT_EQ(decided->size(), actions.size());
    for (size_t i = 0; i < actions.size(); ++i) {
      EXPECT_EQ((*decided)[i].tensor, state.decisions[i].tensor);
      EXPECT_NEAR((*decided)[i].preference, actions[i].preference, 1e-4);
    }
    ++compared;
  }

  int compared = 0;

 private:
  const DqnDecider& decider_;
  const Environment& environment_;
  const int64_t budget_bytes_;
};

class DqnDeciderTest : public testing::Test {
 protected:
  const Graph graph_ = TrainingStepGraph(6, 1);
  const MemorySystem system_ = *PresetMemorySystem("optane");
  const int64_t limit_bytes_ = ComputeLiveness(graph_).peak_bytes / 3;
  const DqnPolicy policy_ = UntrainedPolicy(graph_, system_, limit_bytes_);
};

TEST_F(DqnDeciderTest, DecidesAsThePolicyDoesWhenItPlans) {
  const auto decider = DqnDecider::Make(policy_, graph_, system_);
  ASSERT_TRUE(decider.ok()) << decider.status();
  const Workload workload = *MakeWorkload(graph_, system_, limit_bytes_);
  const Environment environment = *Environment::Make(
      graph_, system_, workload, policy_.settings.migration, HeatSettings());
  const QNetwork network(ShapeOf(policy_.settings),
                         UnpackWeights(policy_.weights));
  ComparingActor actor(network, *decider, environment, workload.arena_bytes);
  RunEpisode(environment, {.budget_bytes = workload.arena_bytes},
             std::vector<bool>(graph_.tensors.size(), false), actor);
  EXPECT_GT(actor.compared, 10);
}

TEST_F(DqnDeciderTest, RejectsWhatTheGraphDoesNotHave) {
  const auto decider = DqnDecider::Make(policy_, graph_, system_);
  ASSERT_TRUE(decider.ok());
  const auto code = [&](const KernelSituation& situation) {
    return decider->Decide(situation).status().code();
  };
  EXPECT_EQ(code({.kernel = -1}), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.kernel = graph_.kernel_count()}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.living = {{graph_.tensor_count(), Position::kSlow}}}),
            absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(code({.living = {{1, Position::kSlow}, {0, Position::kSlow}}}),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(DqnDeciderTest, RefusesAPolicyOfAnotherGraph) {
  EXPECT_EQ(DqnDecider::Make(policy_, TrainingStepGraph(7, 1), system_)
                .status()
                .code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace stowage::policies
