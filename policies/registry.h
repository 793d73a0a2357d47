// Every policy by name.
//
//   for (const std::string& name : PolicyNames()) ...
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

namespace stowage {

// What is used where no policy is named.
inline constexpr std::string_view kDefaultPolicy = "annealed-search";

// Sorted.
std::vector<std::string> PolicyNames();

// The name that a policy has now: another one than `name` where that is what it
// was called before ("stow", "deeptm-plus").
std::string_view PresentPolicyName(std::string_view name);

// Also by its former name. NOT_FOUND lists the names there are.
absl::StatusOr<std::unique_ptr<Policy>> MakePolicy(std::string_view name);

// The policies whose plans a search weighs.
Rivals MakeRivals();

}  // namespace stowage

#endif  // STOWAGE_POLICIES_REGISTRY_H_
