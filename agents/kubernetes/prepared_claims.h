// Prepares claims on this node for their pods, and cleans up after them.
//
//   PreparedClaims claims({.state_dir = "/run/stowage/claims",
//                          .cdi_dir = "/var/run/cdi",
//                          .sdk_dir = "/opt/stowage", .node = "node1"},
//                         memory, serving, fetch);
//   claims.Restore();
//   absl::StatusOr<ClaimGrant> grant = claims.Prepare(ref, is_over);
//   absl::Status gone = claims.Unprepare(ref);
//
// Of each claim that is prepared there is what OpenClaims keeps in STATE_DIR, and
// a file in the directory of the Container Device Interface.
#ifndef STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_
#define STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_

#include <functional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/claims/open_claims.h"
#include "agents/claims/served_claim.h"
#include "agents/kubernetes/claim_grant.h"
#include "agents/kubernetes/node_memory.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

struct ClaimPlaces {
  std::string state_dir;
  std::string cdi_dir;
  std::string sdk_dir;  // on the host, as CdiMounts::sdk_dir
  std::string node;
};

// Returns the ResourceClaim of a name, as the API server has it.
using FetchClaim =
    std::function<absl::StatusOr<nlohmann::json>(const ClaimRef& ref)>;

// Thread-safe.
class PreparedClaims {
 public:
  PreparedClaims(ClaimPlaces places, NodeMemory memory, ClaimServing serving,
                 FetchClaim fetch);

  // Serves the claims that an agent before this one has prepared. Those that
  // cannot be served any more get a log line. Blocks on the file system.
  void Restore() { claims_.Restore(); }

  // Makes all that the pods of a claim need; does nothing if it is there. Errors
  // are those of `fetch`, ReadGrant() and OpenClaims::Open(); they say what to
  // do. Blocks on the API server, and until the host has the fast memory, or
  // `is_over`.
  absl::StatusOr<ClaimGrant> Prepare(const ClaimRef& ref,
                                     absl::FunctionRef<bool()> is_over);

  // Takes all of that away. OK if there is nothing. Blocks while moves of jobs
  // that still run are under way.
  absl::Status Unprepare(const ClaimRef& ref) { return claims_.Close(ref.uid); }

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories) {
    claims_.Change(defaults, directories);
  }

  // Ends all sessions and keeps the files, for the next agent.
  void Stop() { claims_.Stop(); }

  int count() const { return claims_.count(); }

 private:
  std::string CdiFile(const std::string& uid) const;
  absl::StatusOr<MemoryClaim> Fetch(const ClaimRef& ref) const;
  absl::Status WriteSpec(const MemoryClaim& claim) const;

  const ClaimPlaces places_;
  const NodeMemory memory_;
  const FetchClaim fetch_;
  OpenClaims claims_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_
