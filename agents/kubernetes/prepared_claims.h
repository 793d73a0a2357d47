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
// Of each claim that is prepared there are STATE_DIR/UID/agent.sock, at which its
// jobs are served, STATE_DIR/UID.json for the next agent, and a file in the
// directory of the Container Device Interface.
#ifndef STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_
#define STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_

#include <functional>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "agents/kubernetes/claim_grant.h"
#include "agents/kubernetes/node_memory.h"
#include "agents/kubernetes/served_claim.h"
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
  void Restore();

  // Makes all that the pods of a claim need; does nothing if it is there. Errors
  // are those of `fetch`, ReadGrant() and ServedClaim::Start(), and those of a
  // directory that cannot be written; they say what to do. Blocks on the API
  // server, and until the host has the fast memory, or `is_over`.
  absl::StatusOr<ClaimGrant> Prepare(const ClaimRef& ref,
                                     absl::FunctionRef<bool()> is_over);

  // Takes all of that away. OK if there is nothing. Blocks while moves of jobs
  // that still run are under way.
  absl::Status Unprepare(const ClaimRef& ref);

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories);

  // Ends all sessions and keeps the files, for the next agent.
  void Stop();

  int count() const;

 private:
  class Turn;

  std::string SocketDir(const std::string& uid) const;
  std::string StateFile(const std::string& uid) const;
  std::string CdiFile(const std::string& uid) const;
  absl::StatusOr<ClaimGrant> PrepareAnew(const ClaimRef& ref,
                                         absl::FunctionRef<bool()> is_over);
  absl::Status WriteFiles(const ClaimGrant& grant) const;
  absl::Status RemoveFiles(const std::string& uid) const;
  void RestoreFrom(const std::string& file);
  std::unique_ptr<ServedClaim> Take(const std::string& uid);
  void CloseLater(std::unique_ptr<ServedClaim> claim);

  const ClaimPlaces places_;
  const NodeMemory memory_;
  const FetchClaim fetch_;
  mutable absl::Mutex mutex_;
  ClaimServing serving_ ABSL_GUARDED_BY(mutex_);
  // By uid. Only whoever has the turn of a uid adds it or takes it out.
  std::map<std::string, std::unique_ptr<ServedClaim>> claims_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> turns_ ABSL_GUARDED_BY(mutex_);
  // Claims that are closed, and wait for plans that are being made.
  std::vector<std::future<void>> closing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_PREPARED_CLAIMS_H_
