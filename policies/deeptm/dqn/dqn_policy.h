// Keeps a trained DQN policy: what it was trained for and the network's
// weights.
//
//   std::string bytes = EncodeDqnPolicy(policy);
//   absl::StatusOr<DqnPolicy> policy = DecodeDqnPolicy(bytes);
//
// Plain data, freely copied. Needs no LibTorch.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_POLICY_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_POLICY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_settings.h"
#include "policies/model/graph.h"
#include "policies/model/memory_system.h"

namespace stowage::policies {

// The number of the layout of `DqnPolicy::weights`. It is raised when the
// state, the network or the order of the weights changes.
//
// Layout 2: the state is [p, H, D_left, P_left], followed by Decision::features
// unless heat_alone (dqn_actor.h). Three dense layers have hidden_units,
// hidden_units and 2 units, with ReLU after the first two. Each layer has its
// matrix, one row per input, then its bias; little-endian float32.
inline constexpr int32_t kDqnWeightsLayout = 2;

struct DqnPolicy {
  std::string graph_id;       // GraphId of its graph
  std::string system;         // its name
  std::string system_digest;  // MemorySystemDigest
  int64_t fast_limit_bytes = 0;
  DqnSettings settings;
  int64_t seed = 0;
  // How many episodes of the schedule are done; less than settings.episodes if
  // training was cancelled.
  int32_t episodes_done = 0;
  // The prediction for the plan by which these weights were chosen; 0: none was
  // judged yet.
  int64_t step_time_ns = 0;
  // Training found nothing to learn, since the graph fits the limit. Then there
  // are no weights, and the plan is the one without moves.
  bool fits = false;
  int32_t weights_layout = kDqnWeightsLayout;
  std::string weights;
};

// Returns the hex SHA-256 of all that a memory system says, except its
// description.
std::string MemorySystemDigest(const MemorySystem& system);

// Writes a binary stowage.v1.DqnPolicy. The same policy gives the same bytes.
std::string EncodeDqnPolicy(const DqnPolicy& policy);

// Reads a policy. INVALID_ARGUMENT for torn or tampered bytes, another schema
// or layout, settings out of range, and weights that are not finite or not as
// many as the layout has; it names what is wrong and the remedy.
absl::StatusOr<DqnPolicy> DecodeDqnPolicy(std::string_view bytes);

// Returns INVALID_ARGUMENT as DecodeDqnPolicy does.
absl::Status CheckDqnPolicy(const DqnPolicy& policy);

// Returns FAILED_PRECONDITION if the policy was trained for another graph or
// memory system; it names both and the remedy.
absl::Status CheckTrainedFor(const DqnPolicy& policy, const Graph& graph,
                             const MemorySystem& system);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_POLICY_H_
