// Says who a peer is, and in which role it calls, by the names in its
// certificate.
//
//   absl::StatusOr<Roles> roles = Roles::Make("stowage", {"operator=ops.example"});
//   std::optional<Caller> caller =
//       roles->CallerOf({.spiffe_id = "spiffe://stowage/agent/node-7"});
//   // caller->role == Role::kAgent, caller->name == "node-7"
#ifndef STOWAGE_SERVER_ACCESS_ROLES_H_
#define STOWAGE_SERVER_ACCESS_ROLES_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace stowage {

enum class Role {
  kScheduler,  // asks for plans, looks at nodes and jobs, changes limits
  kAgent,      // speaks for its node and for the jobs there
  kJob,        // asks for the plans of its own steps
  kOperator,   // may do everything
};

// Returns "scheduler", "agent", "job" or "operator".
absl::string_view RoleName(Role role);

// Names in a certificate that its authority vouches for.
struct PeerNames {
  std::string spiffe_id;         // empty: none
  std::vector<std::string> dns;  // subject alternative names
};

struct Caller {
  Role role = Role::kJob;
  std::string name;      // of the agent's node, of the job, ...
  std::string identity;  // as the certificate has it
};

// Thread-safe.
class Roles {
 public:
  // Peers of the trust domain have their role in the path of their SPIFFE ID:
  // spiffe://DOMAIN/ROLE/NAME. `rules` give roles to DNS names: "ROLE=NAME" or
  // "ROLE=*.PARENT". INVALID_ARGUMENT names the rule that is none.
  static absl::StatusOr<Roles> Make(std::string trust_domain,
                                    const std::vector<std::string>& rules);

  // Returns nullopt for a peer without a role. The first rule that fits counts,
  // and a SPIFFE ID of the domain before all rules. The name of a peer with a
  // DNS name is its first label.
  std::optional<Caller> CallerOf(const PeerNames& names) const;

 private:
  explicit Roles(std::string trust_domain)
      : trust_domain_(std::move(trust_domain)) {}

  std::optional<Caller> BySpiffeId(const std::string& id) const;
  std::optional<Caller> ByDnsName(const std::string& name) const;

  std::string trust_domain_;
  std::vector<std::pair<Role, std::string>> rules_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_ROLES_H_
