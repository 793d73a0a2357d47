// Holds every hyperparameter of DeepTM's DQN, each with its source.
//
//   DqnSettings settings;
//   settings.cost_priority = 0.5;
//   absl::Status status = CheckDqnSettings(settings);
//
// "Table II" and equations are the paper's (DeepTM, IEEE TPDS 2024). "Ours"
// marks settings that the paper does not state; docs/policies-deeptm.md gives
// reasons.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_SETTINGS_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_SETTINGS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "policies/deeptm/migration_mode.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

struct DqnSettings {
  // Table II: "training episodes".
  int32_t episodes = 200;
  // Table II: "greedy episodes". Over so many episodes the greedy probability
  // rises linearly from the first to the last value.
  int32_t greedy_episodes = 150;
  // Table II: "greedy probability".
  double first_greedy_probability = 0.1;
  double last_greedy_probability = 1.0;
  // Table II has 100. Ours is the transitions of about five episodes, so that a
  // gradient step sees all of the step's kernels, and random actions too.
  int32_t replay_size = 10'000;
  // Table II: "batch size", transitions.
  int32_t batch_size = 32;
  // The rate of the first episode. Table II has 1e-4. Ours is higher, because a
  // gradient step follows one kernel or several, not each decision, so each has
  // to go farther.
  double learning_rate = 1e-3;
  // Table II: "learning rate". It is reached when the greedy probability has
  // its last value; 0 keeps the first rate throughout.
  double last_learning_rate = 1e-4;
  // Table II: gamma, from one access of a tensor to the next.
  double discount = 0.99;
  // Table II: beta of eq. 13, 0 (only price counts) to 1 (only time counts).
  // The paper tries 0.25, 0.5 and 0.75 and finds 0.75 fastest.
  double cost_priority = 0.75;
  // Table II: R_fix of eq. 13.
  double fixed_reward = 50;

  // Unit prices of eq. 12, US dollars per GB; 0 takes those of the memory
  // system, where 0 is unknown. If one of them is unknown, price does not
  // count.
  double fast_price_usd_per_gb = 0;
  double slow_price_usd_per_gb = 0;

  // IV-B: eq. 4 or eq. 5 to 7.
  MigrationMode migration = MigrationMode::kAsynchronous;

  // IV-C: the state is [p, H, D_left, P_left]. Ours (false) adds
  // Decision::features, which tell tensors that are about to be used from
  // tensors that are small or used often.
  bool heat_alone = false;
  // Ours: units of each of the two hidden dense layers.
  int32_t hidden_units = 32;
  // Ours: what a kernel takes from the reward of a tensor that is asked to be
  // fast and finds no room, if it were as large as all of the room ("a
  // substantial negative reward").
  double oom_penalty = 2;
  // Ours: the reward of a decision up to the tensor's next access is cut at
  // this bound either way.
  double reward_bound = 1;
  // Ours: the reward that targets expect of an action in all is cut at this
  // bound either way; 0: not at all. It is 3 because a step accesses nine
  // tensors of ten at most three times, and each time earns up to reward_bound.
  double value_bound = 3;
  // Ours: an episode ends early if a kernel's greedy actions ask for more than
  // the room there is by this multiple of it. Below that, the tensors that are
  // preferred least are refused.
  double oom_tolerance = 1.5;
  // Ours: gradient steps an episode, spread over its kernels.
  int32_t updates_per_episode = 256;
  // Ours: the target network is the mean of the weights over about so many
  // gradient steps. It is the network that acts and is judged.
  int32_t target_interval = 256;
  // Ours: transitions remembered for each gradient step, so that the replay
  // buffer spans several kernels.
  int32_t transitions_per_update = 8;
  // Ours: the plan of the weights is judged after so many episodes each, and
  // after the last. The weights that are judged best are the result.
  int32_t evaluation_interval = 10;

  bool operator==(const DqnSettings&) const = default;
};

// CheckDqnSettings refuses larger settings.
inline constexpr int32_t kMaxHiddenUnits = 1024;
inline constexpr int32_t kMaxEpisodes = 1'000'000;

// Returns INVALID_ARGUMENT, which names the setting that is out of range, its
// value and the range.
absl::Status CheckDqnSettings(const DqnSettings& settings);

// Holds the unit prices of eq. 12; both are 0 if one of them is unknown.
struct UnitPrices {
  double fast_usd_per_gb = 0;
  double slow_usd_per_gb = 0;
};
UnitPrices FindUnitPrices(const DqnSettings& settings,
                          const MemorySystem& system);

// Returns the greedy probability of episode `episode`, from 0.
double GreedyProbability(const DqnSettings& settings, int32_t episode);

// Returns the learning rate of episode `episode`, from 0. It falls by the same
// factor from episode to episode while the greedy probability rises.
double LearningRate(const DqnSettings& settings, int32_t episode);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_SETTINGS_H_
