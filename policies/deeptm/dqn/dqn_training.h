// Trains DeepTM's DQN (IV-C) for one graph, memory system and fast limit.
//
//   absl::StatusOr<DqnPolicy> policy = TrainDqn(
//       graph, system, limit_bytes, DqnSettings(), /*seed=*/1,
//       /*start=*/nullptr, [](const EpisodeReport& report) { return true; });
//   absl::StatusOr<Plan> plan =
//       PlanWithDqn(*policy, graph, system, options);  // dqn_planner.h
//
// Runs on the caller's thread and blocks for as long as it trains: seconds to
// minutes. It is in library stowage_deeptm, which links LibTorch; this header
// and the rest of the folder do not need it.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_TRAINING_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_TRAINING_H_

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// Reports what one episode, one simulated step of the graph, taught.
struct EpisodeReport {
  int32_t episode = 0;   // the one that has ended, from 1
  int32_t episodes = 0;  // of the whole training
  double greedy_probability = 0;
  double loss = 0;  // mean of the episode's gradient steps; 0: there were none
  double reward = 0;           // R_episode: the sum of eq. 8, and eq. 13
  double episodic_reward = 0;  // eq. 13 alone; 0 when it ended early
  int64_t step_time_ns = 0;    // C_total, eq. 1; 0 when it ended early
  bool out_of_memory = false;  // it ended early
  // The policy as it would be returned now, to resume from. Valid during the
  // call.
  const DqnPolicy* checkpoint = nullptr;
};

// Trains. Deterministic: the same arguments give the same policy, byte for
// byte, on the same processor.
//
// `start` may be null. Otherwise it was trained for the same graph and system,
// with the same hidden units, and training begins with its weights. If its
// training was cancelled (episodes_done < settings.episodes), its schedule goes
// on; otherwise a new one begins.
// `on_episode` is called after each episode. If it returns false, training is
// cancelled, and the policy trained so far is returned.
//
// A graph that fits the limit is not trained for: `fits` is set and
// `on_episode` is never called. INVALID_ARGUMENT for settings out of range or a
// `start` that does not match; FAILED_PRECONDITION for a limit that is too
// small; RESOURCE_EXHAUSTED for a graph with too many decisions; INTERNAL if
// the training diverges (the loss is not a number).
absl::StatusOr<DqnPolicy> TrainDqn(
    const Graph& graph, const MemorySystem& system, int64_t fast_limit_bytes,
    const DqnSettings& settings, int64_t seed, const DqnPolicy* start,
    absl::FunctionRef<bool(const EpisodeReport&)> on_episode);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_TRAINING_H_
