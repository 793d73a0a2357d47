// Lists every policy by name, says what it can do, and makes it.
//
//   for (const PolicyInfo& policy : Policies()) std::cout << policy.name;
//   absl::StatusOr<std::unique_ptr<Policy>> policy = MakePolicy("belady");
#ifndef STOWAGE_POLICIES_REGISTRY_H_
#define STOWAGE_POLICIES_REGISTRY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "policies/plan/policy.h"
#include "policies/search/rivals.h"

namespace stowage::policies {

struct PolicyInfo {
  std::string name;
  std::string description;
  PolicyCapabilities capabilities;
};

// The policy that is used where none is named.
inline constexpr std::string_view kDefaultPolicy = "annealed-search";

// Returns every policy, sorted by name, also those that need training.
std::vector<PolicyInfo> Policies();

// Returns what the policy of that name can do; nothing for an unknown name.
PolicyCapabilities CapabilitiesOf(std::string_view name);

// Returns the present names of the policies that MakePolicy makes, which need
// no training. Sorted.
std::vector<std::string> PolicyNames();

// Returns the present name of a policy. It differs from `name` if that is a
// former name ("stow", "deeptm-plus").
std::string_view PresentPolicyName(std::string_view name);

// Makes the policy of that present or former name. NOT_FOUND lists the names
// there are.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view name);

// Makes the policies whose plans a search weighs.
Rivals MakeRivals();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_REGISTRY_H_
