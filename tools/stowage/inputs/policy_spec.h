// Makes policies from the names that the command line takes: a name of the
// registry, or one with a parameter such as "sentinel:8" (a migration interval
// of eight layers) or "deeptm:resnet.dqn" (a file of `stowage train`).
//
//   absl::StatusOr<std::unique_ptr<policies::Policy>> policy =
//       MakePolicyFromSpec("sentinel:8");
#ifndef STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_
#define STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "policies/plan/policy.h"

namespace stowage::cli {

// Makes a policy. Reads the file that "deeptm" names; its errors begin with the
// path. NOT_FOUND lists the policies that there are. INVALID_ARGUMENT says what
// a parameter may be.
absl::StatusOr<std::unique_ptr<policies::Policy>> MakePolicyFromSpec(
    absl::string_view spec);

// Returns "deeptm:FILE" for "deeptm", and other specs as they are.
std::string WithDqnFile(const std::string& spec, const std::string& dqn_path);

// If `spec` names a file, returns the error of reading it, which begins with
// its path.
absl::Status CheckPolicyFile(absl::string_view spec);

// Returns INVALID_ARGUMENT if `dqn_path` is given and none of `specs` is
// "deeptm".
absl::Status CheckDqnUse(const std::vector<std::string>& specs,
                         const std::string& dqn_path);

// Returns `wanted` with every policy of the registry in the place of "all", or
// the error of the first policy that does not exist.
absl::StatusOr<std::vector<std::string>> ExpandPolicies(
    const std::vector<std::string>& wanted);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_INPUTS_POLICY_SPEC_H_
