// Runs one episode (IV-C): one step of a graph, kernel by kernel. At kernels
// that are short of fast memory an actor says for each living tensor where it
// is to be.
//
//   EpisodeOutcome outcome = RunEpisode(
//       environment, {.budget_bytes = limit_bytes}, start, actor);
//   int64_t step_ns = outcome.step_time_ns;      // C_total
//
// Time follows equations 1 to 7: kernels by the four corners, synchronous
// migrations before their kernel, asynchronous ones beside it, each direction
// on its own. The simulator finds the same for the plan of these decisions.
#ifndef STOWAGE_POLICIES_DEEPTM_EPISODE_H_
#define STOWAGE_POLICIES_DEEPTM_EPISODE_H_

#include <cstdint>
#include <vector>

#include "policies/deeptm/environment.h"
#include "policies/heat/position.h"
#include "policies/planning/plan_builder.h"

namespace stowage::policies {

// Holds the state of IV-C at one kernel: [p, H, D_left, P_left] for each entry
// of `decisions`.
struct KernelState {
  KernelIndex kernel = 0;
  const std::vector<Decision>& decisions;
  // By tensor of the graph; kNone for tensors that the kernel allocates.
  const std::vector<Position>& positions;
  // D_left and P_left: the free shares of the fast tier's room at this kernel,
  // and of the slow tier's capacity (of the graph's peak if that is unlimited).
  float fast_left = 0;
  float slow_left = 0;
};

// Holds the action for one living tensor.
struct Action {
  bool fast = false;
  // Whether it is explored rather than chosen; then it does not count towards
  // OOM.
  bool random = false;
  // Where not all tensors get the room, the highest get it.
  float preference = 0;
};

// Says what a tensor earned while one kernel ran, whether or not there was a
// decision on it.
struct TensorReward {
  TensorIndex tensor = 0;
  float reward = 0;
};

class Actor {
 public:
  virtual ~Actor() = default;
  // Fills in `actions`, parallel to the state's decisions.
  virtual void Act(const KernelState& state, std::vector<Action>& actions) = 0;
  // Is called after each kernel with what tensors earned (eq. 8), penalties
  // included. A tensor may be in `rewards` several times.
  virtual void Learn(KernelIndex kernel,
                     const std::vector<TensorReward>& rewards) {
    (void)kernel, (void)rewards;
  }
};

struct EpisodeOptions {
  int64_t budget_bytes = 0;  // as in PlanByDeciding
  // DqnSettings::oom_tolerance. If negative, tensors that do not fit are
  // refused and the episode goes on.
  double oom_tolerance = -1;
  double oom_penalty = 0;
  // The weights in rewards of time and of the room held in fast memory (beta
  // and 1 - beta of eq. 13).
  double time_weight = 1;
  double room_weight = 0;
  // Whether Learn is called, and whether residencies are written (only if
  // `cyclic`).
  bool learn = false;
  bool record = false;
  // Whether the step ends as it began, with migrations at its end if need be;
  // otherwise it ends as it may.
  bool cyclic = false;
};

struct EpisodeOutcome {
  bool out_of_memory = false;  // it ended early
  int64_t step_time_ns = 0;
  double reward = 0;  // the sum of eq. 8
  int64_t fast_peak_bytes = 0;
  int64_t slow_peak_bytes = 0;
  // By tensor: whether it is fast as the step ends, for those that live on.
  std::vector<bool> fast_at_end;
  // The residencies as BuildInput takes them, if `record` is set.
  std::vector<Residency> residencies;
};

// Runs an episode. `fast_at_start` is by tensor, for those that are alive as
// the step begins. If the plan is cancelled, nothing is fast and no residencies
// are written.
EpisodeOutcome RunEpisode(const Environment& environment,
                          const EpisodeOptions& options,
                          const std::vector<bool>& fast_at_start, Actor& actor);

// Returns a start near the steady state, in which a step's end provides its
// start: the tensors that both a step and the one after it have fast as they
// end.
std::vector<bool> FindSteadyStart(const Environment& environment,
                                  const EpisodeOptions& options, Actor& actor);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_EPISODE_H_
