// Packs the weights of a network as the bytes of DqnPolicy::weights.
#ifndef STOWAGE_POLICIES_DEEPTM_DQN_DQN_WEIGHTS_H_
#define STOWAGE_POLICIES_DEEPTM_DQN_DQN_WEIGHTS_H_

#include <string>
#include <string_view>
#include <vector>

namespace stowage::policies {

// Returns little-endian float32 values.
std::string PackWeights(const std::vector<float>& weights);

// Returns the values; bytes at the end that are no whole value are dropped.
std::vector<float> UnpackWeights(std::string_view bytes);

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_DEEPTM_DQN_DQN_WEIGHTS_H_
