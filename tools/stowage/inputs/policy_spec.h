// Policies as the command line names them: one of the registry's, or one with
// its parameter, as "sentinel:8" (a migration interval of eight layers) or
// "deeptm:resnet.dqn" (a file of `stowage train`).
//
//   absl::StatusOr<std::unique_ptr<policies::Policy>> policy = MakePolicyFromSpec(spec);
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policies/plan/policy.h"

namespace stowage::cli {

// NOT_FOUND lists the policies there are; INVALID_ARGUMENT says what a
// parameter may be. Reads the file that "deeptm" names; errors begin with its
// path.
absl::StatusOr<std::unique_ptr<policies::Policy>> MakePolicyFromSpec(
    absl::string_view spec);

// "deeptm:FILE" for "deeptm"; other specs as they are.
std::string WithDqnFile(const std::string& spec, const std::string& dqn_path);

// Where `spec` names a file: the error of reading it, which begins with its
// path.
absl::Status CheckPolicyFile(absl::string_view spec);

// INVALID_ARGUMENT when `dqn_path` is given and none of `specs` is "deeptm".
absl::Status CheckDqnUse(const std::vector<std::string>& specs,
                         const std::string& dqn_path);

// `wanted` with every policy of the registry in the place of "all". The error
// of the first that does not exist.
absl::StatusOr<std::vector<std::string>> ExpandPolicies(
    const std::vector<std::string>& wanted);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_
