// Every policy by name, and what it can do.
//
//   for (const PolicyInfo& policy : Policies()) ...
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

// What is used where no policy is named.
inline constexpr std::string_view kDefaultPolicy = "annealed-search";

// Every policy, sorted by name, also those that need training.
std::vector<PolicyInfo> Policies();

// Nothing of a name that there is not.
PolicyCapabilities CapabilitiesOf(std::string_view name);

// Those that MakePolicy makes: they need no training. Sorted.
std::vector<std::string> PolicyNames();

// The name that a policy has now: another one than `name` where that is what it
// was called before ("stow", "deeptm-plus").
std::string_view PresentPolicyName(std::string_view name);

// Also by its former name. NOT_FOUND lists the names there are.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view name);

// The policies whose plans a search weighs.
Rivals MakeRivals();

}  // namespace stowage::policies

#endif  // STOWAGE_POLICIES_REGISTRY_H_
