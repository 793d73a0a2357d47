#include "server/access/roles.h"

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace stowage {
namespace {

constexpr Role kRoles[] = {Role::kScheduler, Role::kAgent, Role::kJob,
                           Role::kOperator};

std::optional<Role> FindRole(absl::string_view name) {
  for (const Role role : kRoles) {
    if (RoleName(role) == name) return role;
  }
  return std::nullopt;
}

// Returns whether a pattern stands for a DNS name; "*" for one label.
bool Fits(absl::string_view pattern, absl::string_view name) {
  if (!absl::ConsumePrefix(&pattern, "*")) {
    return absl::EqualsIgnoreCase(pattern, name);
  }
  const size_t dot = name.find('.');
  return dot != absl::string_view::npos && dot > 0 &&
         absl::EqualsIgnoreCase(pattern, name.substr(dot));
}

}  // namespace

absl::string_view RoleName(Role role) {
  switch (role) {
    case Role::kScheduler:
      return "scheduler";
    case Role::kAgent:
      return "agent";
    case Role::kJob:
      return "job";
    case Role::kOperator:
      return "operator";
  }
  return "";
}

absl::StatusOr<Roles> Roles::Make(std::string trust_domain,
                                  const std::vector<std::string>& rules) {
  Roles roles(std::move(trust_domain));
  for (const std::string& rule : rules) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(rule, absl::MaxSplits('=', 1));
    const std::optional<Role> role = FindRole(parts.first);
    absl::string_view name = parts.second;
    absl::ConsumePrefix(&name, "*.");
    if (!role || name.empty() || absl::StrContains(name, "*")) {
      return absl::InvalidArgumentError(absl::StrCat(
          "'", rule,
          "' is no rule; write ROLE=NAME, where ROLE is scheduler, "
          "agent, job or operator, and NAME a DNS name or *.PARENT"));
    }
    roles.rules_.emplace_back(*role, parts.second);
  }
  return roles;
}

std::optional<Caller> Roles::CallerOf(const PeerNames& names) const {
  if (std::optional<Caller> caller = BySpiffeId(names.spiffe_id)) {
    return caller;
  }
  for (const std::string& name : names.dns) {
    if (std::optional<Caller> caller = ByDnsName(name)) return caller;
  }
  return std::nullopt;
}

std::optional<Caller> Roles::BySpiffeId(const std::string& id) const {
  absl::string_view path = id;
  if (!absl::ConsumePrefix(&path,
                           absl::StrCat("spiffe://", trust_domain_, "/"))) {
    return std::nullopt;
  }
  const std::vector<std::string> parts = absl::StrSplit(path, '/');
  if (parts.size() != 2 || parts[1].empty()) return std::nullopt;
  const std::optional<Role> role = FindRole(parts[0]);
  if (!role) return std::nullopt;
  return Caller{.role = *role, .name = parts[1], .identity = id};
}

std::optional<Caller> Roles::ByDnsName(const std::string& name) const {
  for (const auto& [role, pattern] : rules_) {
    if (!Fits(pattern, name)) continue;
    return Caller{
        .role = role, .name = name.substr(0, name.find('.')), .identity = name};
  }
  return std::nullopt;
}

}  // namespace stowage
