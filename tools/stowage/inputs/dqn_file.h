// Reads trained DQN policies from files.
//
//   absl::StatusOr<policies::DqnPolicy> policy = LoadDqnPolicy("resnet.dqn");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_DQN_FILE_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_DQN_FILE_H_

#include <string>

#include "absl/status/statusor.h"
#include "policies/deeptm/dqn/dqn_policy.h"

namespace stowage::cli {

// Reads a policy. Blocks on the disk. Errors begin with the path.
// INVALID_ARGUMENT: the file is torn, tampered with or of another version.
absl::StatusOr<policies::DqnPolicy> LoadDqnPolicy(const std::string& path);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_DQN_FILE_H_
