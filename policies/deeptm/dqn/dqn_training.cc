#include "policies/deeptm/dqn/dqn_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "policies/deeptm/dqn/dqn_actor.h"
#include "policies/deeptm/dqn/dqn_planner.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/dqn/learner.h"
#include "policies/deeptm/dqn/replay_buffer.h"
#include "policies/deeptm/dqn/reward.h"
#include "policies/deeptm/environment.h"
#include "policies/deeptm/episode.h"
#include "policies/deeptm/rollout.h"
#include "policies/heat/access_index.h"
#include "policies/model/graph_proto.h"
#include "policies/model/liveness.h"
#include "policies/planning/plan_policy.h"

namespace stowage::policies {
namespace {

// Explores and learns.
class LearningActor : public Actor {
 public:
  LearningActor(const Environment& environment, const DqnSettings& settings,
                const std::vector<float>& weights)
      : environment_(environment),
        accesses_(environment.graph()),
        settings_(settings),
        learner_(settings, weights),
        network_(ShapeOf(settings), weights),
        buffer_(settings.replay_size),
        decided_at_(environment.graph().tensors.size(), -1),
        explored_(environment.graph().tensors.size()),
        earned_(environment.graph().tensors.size()) {
    int32_t short_kernels = 0;
    for (KernelIndex k = 0; k < environment.graph().kernel_count(); ++k) {
      if (!environment.Decisions(k).empty()) ++short_kernels;
    }
    updates_per_kernel_ = static_cast<double>(settings.updates_per_episode) /
                          std::max(1, short_kernels);
    remembered_per_kernel_ = static_cast<int32_t>(std::ceil(
        settings.transitions_per_update * std::min(1.0, updates_per_kernel_)));
  }

  void BeginEpisode(uint64_t seed, double greedy_probability,
                    double learning_rate) {
    engine_.seed(seed);
    learner_.SetLearningRate(learning_rate);
    // It is compared with the upper half of a random number.
    greedy_below_ = static_cast<uint64_t>(greedy_probability * (1ULL << 32));
    due_updates_ = 0;
    pending_.clear();
    std::fill(explored_.begin(), explored_.end(), Explored{});
    std::fill(earned_.begin(), earned_.end(), 0);
    losses_ = 0;
    updates_ = 0;
  }

  void Act(const KernelState& state, std::vector<Action>& actions) override {
    states_.clear();
    greedy_.clear();
    for (size_t i = 0; i < actions.size(); ++i) {
      const Explored& explored = Explore(state.decisions[i], state.kernel);
      if (explored.greedy) {
        greedy_.push_back(i);
        states_.push_back(StateOf(state, i));
      } else {
        actions[i] = {.fast = explored.fast,
                      .random = true,
                      .preference = explored.preference};
      }
    }
    values_.resize(states_.size());
    network_.Evaluate(states_.data(), static_cast<int>(states_.size()),
                      values_.data());
    for (size_t i = 0; i < greedy_.size(); ++i) {
      actions[greedy_[i]] = GreedyAction(values_[i]);
    }
    CompletePending(state, actions);
    Remember(state, actions);
  }

  void Learn(KernelIndex kernel,
             const std::vector<TensorReward>& rewards) override {
    for (const TensorReward& reward : rewards) {
      earned_[reward.tensor] += reward.reward;
    }
    if (environment_.Decisions(kernel).empty()) return;
    due_updates_ += updates_per_kernel_;
    if (due_updates_ < 1) return;
    const bool enough =
        buffer_.size() >= static_cast<size_t>(settings_.batch_size);
    for (; due_updates_ >= 1; --due_updates_) {
      if (!enough) continue;
      losses_ += learner_.Update(buffer_.Sample(settings_.batch_size, engine_));
      ++updates_;
    }
    network_.SetWeights(learner_.MeanWeights());
  }

  // Shares the episodic reward among the decisions whose episode is over. A
  // decision that the episode cut off in the middle does not count: it says
  // nothing of what the next step would have brought.
  void EndEpisode(double episodic_reward) {
    const KernelIndex kernels = environment_.graph().kernel_count();
    std::erase_if(pending_, [&](const Pending& pending) {
      const Tensor& tensor = environment_.graph().tensors[pending.tensor];
      return pending.next_access >= kernels || tensor.alive_at_start();
    });
    const double share =
        episodic_reward /
        std::max<double>(1, static_cast<double>(pending_.size()));
    for (Pending& pending : pending_) {
      earned_[pending.tensor] += share;
      Complete(pending, /*last=*/true);
    }
    pending_.clear();
  }

  double mean_loss() const { return updates_ > 0 ? losses_ / updates_ : 0; }
  std::vector<float> Weights() const { return learner_.MeanWeights(); }

 private:
  // Keeps a decision whose consequence is not known yet.
  struct Pending {
    TensorIndex tensor = 0;
    KernelIndex next_access = 0;
    double earned = 0;  // what the tensor had earned before
    Transition transition;
  };

  // Says how a tensor is treated up to its next access.
  struct Explored {
    KernelIndex until = -1;
    bool greedy = true;
    bool fast = false;
    float preference = 0;
  };

  // Returns below which number a random action asks for fast memory. The more
  // of the room the tensor and those that are accessed sooner take, the less
  // often it does. The number is compared with the upper half of a random one.
  static uint64_t FastBelow(const Decision& decision) {
    const double demand =
        std::max<double>(1, decision.features[Decision::kDemand]);
    const double probability = std::min(0.75, 0.25 * 255 / demand);
    return static_cast<uint64_t>(probability * (1ULL << 32));
  }

  const Explored& Explore(const Decision& decision, KernelIndex k) {
    const TensorIndex t = decision.tensor;
    Explored& explored = explored_[t];
    if (k <= explored.until) return explored;
    const uint64_t random = engine_(), other = engine_();
    explored = {
        .until = k + accesses_.FutureDistance(t, k),
        .greedy = (random >> 32) < greedy_below_,
        .fast = (other >> 32) < FastBelow(decision),
        // Below every value that the network has.
        .preference = -1e30f * (1 + static_cast<float>(random & 0xffff))};
    return explored;
  }

  static StateVector StateOf(const KernelState& state, size_t i) {
    const Decision& decision = state.decisions[i];
    return MakeStateVector(state.positions[decision.tensor], decision,
                           state.fast_left, state.slow_left);
  }

  void Remember(const KernelState& state, const std::vector<Action>& actions) {
    const KernelIndex after = state.kernel + 1;
    const bool ends = after == environment_.graph().kernel_count();
    for (int n = 0; n < remembered_per_kernel_; ++n) {
      const size_t i = engine_() % actions.size();
      const TensorIndex t = state.decisions[i].tensor;
      Pending pending{
          .tensor = t,
          .next_access =
              ends ? after : after + accesses_.FutureDistance(t, after),
          .earned = earned_[t],
          .transition = {}};
      pending.transition.state = StateOf(state, i);
      pending.transition.fast = actions[i].fast;
      pending_.push_back(pending);
    }
  }

  // Completes transitions. One ends with the first decision on its tensor that
  // comes after the next access or differs, or with the tensor's life.
  void CompletePending(const KernelState& state,
                       const std::vector<Action>& actions) {
    for (size_t i = 0; i < actions.size(); ++i) {
      decided_at_[state.decisions[i].tensor] = static_cast<int>(i);
    }
    std::erase_if(pending_, [&](Pending& pending) {
      const bool dead = HasDied(pending, state.kernel);
      const int at = decided_at_[pending.tensor];
      if (!dead && at < 0) return false;
      const bool goes_on = !dead && state.kernel <= pending.next_access &&
                           actions[at].fast == pending.transition.fast;
      if (goes_on) return false;
      if (!dead) pending.transition.next = StateOf(state, at);
      Complete(pending, dead);
      return true;
    });
    for (const Decision& decision : state.decisions) {
      decided_at_[decision.tensor] = -1;
    }
  }

  void Complete(Pending& pending, bool last) {
    const double earned = earned_[pending.tensor] - pending.earned;
    pending.transition.reward = static_cast<float>(
        std::clamp(earned, -settings_.reward_bound, settings_.reward_bound));
    pending.transition.last = last;
    buffer_.Add(pending.transition);
  }

  bool HasDied(const Pending& pending, KernelIndex kernel) const {
    const Tensor& tensor = environment_.graph().tensors[pending.tensor];
    return !tensor.persistent && !AliveAt(tensor, kernel);
  }

  const Environment& environment_;
  const AccessIndex accesses_;
  const DqnSettings& settings_;
  Learner learner_;
  QNetwork network_;
  ReplayBuffer buffer_;
  std::mt19937_64 engine_;
  uint64_t greedy_below_ = 0;
  double updates_per_kernel_ = 1;  // by kernels with decisions
  double due_updates_ = 0;
  int32_t remembered_per_kernel_ = 1;
  std::vector<Pending> pending_;
  std::vector<int> decided_at_;     // by tensor, within CompletePending; or -1
  std::vector<Explored> explored_;  // by tensor
  std::vector<double> earned_;      // by tensor, in this episode
  std::vector<size_t> greedy_;
  std::vector<StateVector> states_;
  std::vector<ActionValues> values_;
  double losses_ = 0;
  int64_t updates_ = 0;
};

// Returns a seed that differs for each episode, so that a resumed training goes
// on with new ones.
uint64_t EpisodeSeed(int64_t seed, int32_t episode) {
  return static_cast<uint64_t>(seed) * 0x9E3779B97F4A7C15ULL +
         static_cast<uint64_t>(episode) + 1;
}

class Training {
 public:
  Training(const Environment& environment, const MemorySystem& system,
           int64_t budget_bytes, DqnPolicy policy)
      : environment_(environment),
        system_(system),
        budget_bytes_(budget_bytes),
        prices_(FindUnitPrices(policy.settings, system)),
        policy_(std::move(policy)),
        actor_(environment, policy_.settings, UnpackWeights(policy_.weights)),
        start_(environment.graph().tensors.size(), false) {}

  absl::StatusOr<DqnPolicy> Run(
      absl::FunctionRef<bool(const EpisodeReport&)> on_episode) {
    while (policy_.episodes_done < settings().episodes) {
      EpisodeReport report = RunLearningEpisode();
      if (!std::isfinite(report.loss)) return Diverged(report);
      ++policy_.episodes_done;
      if (policy_.episodes_done % settings().evaluation_interval == 0 ||
          policy_.episodes_done == settings().episodes) {
        Judge();
      }
      if (best_reward_ == kNotJudged) policy_.weights = LatestWeights();
      report.checkpoint = &policy_;
      if (!on_episode(report)) break;
    }
    return policy_;
  }

 private:
  static constexpr double kNotJudged = -std::numeric_limits<double>::max();

  const DqnSettings& settings() const { return policy_.settings; }
  std::string LatestWeights() const { return PackWeights(actor_.Weights()); }

  // Without prices, only time counts.
  double RoomWeight() const {
    return prices_.fast_usd_per_gb > 0 ? 1 - settings().cost_priority : 0;
  }

  EpisodeReport RunLearningEpisode() {
    const int32_t episode = policy_.episodes_done;
    EpisodeReport report{
        .episode = episode + 1,
        .episodes = settings().episodes,
        .greedy_probability = GreedyProbability(settings(), episode)};
    actor_.BeginEpisode(EpisodeSeed(policy_.seed, episode),
                        report.greedy_probability,
                        LearningRate(settings(), episode));
    EpisodeOutcome outcome =
        RunEpisode(environment_,
                   {.budget_bytes = budget_bytes_,
                    .oom_tolerance = settings().oom_tolerance,
                    .oom_penalty = settings().oom_penalty,
                    .time_weight = settings().cost_priority,
                    .room_weight = RoomWeight(),
                    .learn = true},
                   start_, actor_);
    report.out_of_memory = outcome.out_of_memory;
    if (!outcome.out_of_memory) {
      report.step_time_ns = outcome.step_time_ns;
      report.episodic_reward = Worth(outcome);
      // The next step of the job begins as this one ended.
      start_ = std::move(outcome.fast_at_end);
    }
    actor_.EndEpisode(report.episodic_reward);
    report.reward = outcome.reward + report.episodic_reward;
    report.loss = actor_.mean_loss();
    return report;
  }

  // Keeps the weights if their plan is worth more than any before. A plan is
  // slower than a greedy step where addresses leave holes, so most weights are
  // judged without a plan.
  void Judge() {
    const std::vector<float> weights = actor_.Weights();
    const QNetwork network(ShapeOf(settings()), weights);
    DqnActor actor(network);
    EpisodeOptions options{.budget_bytes = budget_bytes_, .cyclic = true};
    EpisodeOutcome outcome =
        RunEpisode(environment_, options,
                   FindSteadyStart(environment_, options, actor), actor);
    if (Worth(outcome) <= best_reward_) return;
    const absl::StatusOr<Plan> plan = PlanInEnvironment(
        environment_, system_, {.fast_limit_bytes = policy_.fast_limit_bytes},
        kDeepTmPolicyName, [&](const Environment&, int64_t) {
          return std::make_unique<DqnActor>(network);
        });
    if (!plan.ok()) return;
    outcome.step_time_ns = plan->prediction.step_time_ns;
    if (Worth(outcome) <= best_reward_) return;
    best_reward_ = Worth(outcome);
    policy_.weights = PackWeights(weights);
    policy_.step_time_ns = outcome.step_time_ns;
  }

  double Worth(const EpisodeOutcome& outcome) const {
    return EpisodicReward(environment_, outcome, settings(), prices_);
  }

  static absl::Status Diverged(const EpisodeReport& report) {
    return absl::InternalError(absl::StrCat(
        "the training diverged: the loss of episode ", report.episode, " is ",
        report.loss, "; lower learning_rate or fixed_reward (R_fix)"));
  }

  const Environment& environment_;
  const MemorySystem& system_;
  const int64_t budget_bytes_;
  const UnitPrices prices_;
  DqnPolicy policy_;
  LearningActor actor_;
  std::vector<bool> start_;
  double best_reward_ = kNotJudged;
};

absl::Status CheckStart(const DqnPolicy& start, const DqnSettings& settings,
                        const Graph& graph, const MemorySystem& system) {
  absl::Status status = CheckDqnPolicy(start);
  if (status.ok()) status = CheckTrainedFor(start, graph, system);
  if (!status.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "cannot begin with this policy: ", std::string(status.message())));
  }
  const bool same_network =
      start.settings.hidden_units == settings.hidden_units &&
      start.settings.heat_alone == settings.heat_alone;
  if (start.fits || same_network) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "cannot begin with this policy: its network has ",
      start.settings.hidden_units,
      " hidden units and heat_alone = ", start.settings.heat_alone, ", but ",
      settings.hidden_units, " and ", settings.heat_alone, " are asked for"));
}

}  // namespace

absl::StatusOr<DqnPolicy> TrainDqn(
    const Graph& graph, const MemorySystem& system, int64_t fast_limit_bytes,
    const DqnSettings& settings, int64_t seed, const DqnPolicy* start,
    absl::FunctionRef<bool(const EpisodeReport&)> on_episode) {
  absl::Status status = CheckDqnSettings(settings);
  if (status.ok() && start != nullptr) {
    status = CheckStart(*start, settings, graph, system);
  }
  if (!status.ok()) return status;
  DqnPolicy policy{.graph_id = GraphId(graph),
                   .system = system.name,
                   .system_digest = MemorySystemDigest(system),
                   .fast_limit_bytes = fast_limit_bytes,
                   .settings = settings,
                   .seed = seed};
  const PlanOptions options{.fast_limit_bytes = fast_limit_bytes};
  if (const auto plan = PlanWithoutMoves(graph, system, options, "deeptm")) {
    policy.fits = true;
    policy.step_time_ns = plan->prediction.step_time_ns;
    return policy;
  }
  const int64_t limit_bytes = EffectiveLimit(system, options);
  const Graph planned =
      WithStreamWindows(graph, system, limit_bytes).value_or(graph);
  const absl::StatusOr<Workload> workload =
      MakeWorkload(planned, system, limit_bytes);
  if (!workload.ok()) return workload.status();
  const absl::StatusOr<Environment> environment = Environment::Make(
      planned, system, *workload, settings.migration, HeatSettings());
  if (!environment.ok()) return environment.status();
  if (start != nullptr && !start->fits) {
    policy.weights = start->weights;
    const bool cancelled = start->episodes_done < settings.episodes;
    policy.episodes_done = cancelled ? start->episodes_done : 0;
  } else {
    policy.weights = PackWeights(RandomWeights(ShapeOf(settings), seed));
  }
  return Training(*environment, system, workload->arena_bytes,
                  std::move(policy))
      .Run(on_episode);
}

}  // namespace stowage::policies
