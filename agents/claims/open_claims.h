// Keeps the claims on this node that are open: serves their jobs, and lets the
// next agent find them.
//
//   OpenClaims claims({.path = "/run/stowage/claims", .mode = 0700}, serving);
//   claims.Restore();
//   absl::StatusOr<MemoryClaim> open = claims.Open("slurm-17", find, is_over);
//   absl::Status gone = claims.Close("slurm-17");
//
// Of each claim there are DIRECTORY/ID/agent.sock, at which its jobs are served,
// and DIRECTORY/ID.json for the next agent.
#ifndef STOWAGE_AGENTS_CLAIMS_OPEN_CLAIMS_H_
#define STOWAGE_AGENTS_CLAIMS_OPEN_CLAIMS_H_

#include <sys/types.h>

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
#include "agents/claims/memory_claim.h"
#include "agents/claims/served_claim.h"

namespace stowage::agent {

// Where claims are, and who else keeps files of them.
struct ClaimsDirectory {
  std::string path;
  mode_t mode = 0700;  // who gets to the claims in it
  // Writes what others read of a claim that is open, perhaps again, and removes
  // it. Null: there is nothing.
  std::function<absl::Status(const MemoryClaim& claim)> publish;
  std::function<absl::Status(const std::string& id)> withdraw;
};

// What is told of a claim.
struct OpenClaim {
  MemoryClaim claim;
  int jobs = 0;  // that run in it
};

// Finds what a claim has. Errors say what to do.
using FindClaim = absl::FunctionRef<absl::StatusOr<MemoryClaim>()>;

// Thread-safe.
class OpenClaims {
 public:
  OpenClaims(ClaimsDirectory directory, ClaimServing serving);

  // Serves the claims that an agent before this one has opened. Those that
  // cannot be served any more get a log line. Blocks on the file system.
  void Restore();

  // Serves the claim `id` that `find` finds. If it is open, returns it as it is,
  // and does not ask. Errors are those of CheckClaimId(), `find`,
  // ServedClaim::Start() and `publish`, and those of a directory that cannot be
  // written; they say what to do. Blocks until the host has the fast memory, or
  // `is_over`.
  absl::StatusOr<MemoryClaim> Open(const std::string& id, FindClaim find,
                                   absl::FunctionRef<bool()> is_over);

  // Takes all of that away. OK if there is nothing. Blocks while moves of jobs
  // that still run are under way.
  absl::Status Close(const std::string& id);

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories);

  // Ends all sessions and keeps the files, for the next agent.
  void Stop();

  // In the order of ids.
  std::vector<OpenClaim> List() const;
  int count() const;

  // Returns the directory of a claim, in which its socket is.
  std::string SocketDir(const std::string& id) const;
  std::string SocketOf(const std::string& id) const;

 private:
  class Turn;

  std::string StateFile(const std::string& id) const;
  absl::StatusOr<MemoryClaim> OpenAnew(const std::string& id, FindClaim find,
                                       absl::FunctionRef<bool()> is_over);
  absl::Status WriteFiles(const MemoryClaim& claim) const;
  absl::Status RemoveFiles(const std::string& id) const;
  void RestoreFrom(const std::string& file);
  std::unique_ptr<ServedClaim> Take(const std::string& id);
  void CloseLater(std::unique_ptr<ServedClaim> claim);

  const ClaimsDirectory directory_;
  mutable absl::Mutex mutex_;
  ClaimServing serving_ ABSL_GUARDED_BY(mutex_);
  // By id. Only whoever has the turn of an id adds it or takes it out.
  std::map<std::string, std::unique_ptr<ServedClaim>> claims_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<std::string> turns_ ABSL_GUARDED_BY(mutex_);
  // Claims that are closed, and wait for plans that are being made.
  std::vector<std::future<void>> closing_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_OPEN_CLAIMS_H_
