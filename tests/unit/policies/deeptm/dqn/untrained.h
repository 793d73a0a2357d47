// Makes a DQN policy with random weights, for tests that need no trained one.
#ifndef STOWAGE_TESTS_UNIT_POLICIES_DEEPTM_DQN_UNTRAINED_H_
#define STOWAGE_TESTS_UNIT_POLICIES_DEEPTM_DQN_UNTRAINED_H_

#include "policies/deeptm/dqn/dqn_policy.h"
#include "policies/deeptm/dqn/dqn_weights.h"
#include "policies/deeptm/dqn/q_network.h"
#include "policies/model/graph_proto.h"

namespace stowage::policies {

inline DqnPolicy UntrainedPolicy(const Graph& graph, const MemorySystem& system,
                                 int64_t limit_bytes, int64_t seed = 1) {
  DqnPolicy policy{.graph_id = GraphId(graph),
                   .system = system.name,
                   .system_digest = MemorySystemDigest(system),
                   .fast_limit_bytes = limit_bytes,
                   .seed = seed};
  policy.weights = PackWeights(RandomWeights(ShapeOf(policy.settings), seed));
  return policy;
}

}  // namespace stowage::policies

#endif  // STOWAGE_TESTS_UNIT_POLICIES_DEEPTM_DQN_UNTRAINED_H_
