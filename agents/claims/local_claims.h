// Opens and closes claims for whoever may at the agent's own socket: a prolog of
// Slurm, or an operator.
//
//   LocalClaims claims("/run/stowage/local-claims",
//                      {.fast_bytes = int64_t{48} << 30}, serving);
//   auto server = JobServer::Start(socket_path, {}, defaults, context, &claims);
//   claims.Begin();
#ifndef STOWAGE_AGENTS_CLAIMS_LOCAL_CLAIMS_H_
#define STOWAGE_AGENTS_CLAIMS_LOCAL_CLAIMS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "agents/claims/claim_request.h"
#include "agents/claims/open_claims.h"
#include "agents/jobs/admission/claim_desk.h"

namespace stowage::agent {

// What the claims of a node are taken out of.
struct NodeAmounts {
  int64_t fast_bytes = 0;  // 0: not known, and there are no claims
  int64_t slow_bytes = 0;  // 0: not known
};

// Thread-safe. The directory lets every user get to the claim whose name they
// know; who may connect there, the claim says.
class LocalClaims : public ClaimDesk {
 public:
  LocalClaims(std::string directory, NodeAmounts node, ClaimServing serving);

  // Serves the claims of an agent before this one, and requests from then on;
  // those that come earlier are told to come again. Call it when the agent has
  // its own socket, since another agent may serve them until then. Blocks on the
  // file system.
  void Begin();

  // Does what the request wants, for root and the agent's own user, and tells
  // others PERMISSION_DENIED. To open a claim that is open is OK if it has the
  // same amounts and user. Other refusals are FAILED_PRECONDITION without an
  // amount of fast memory, RESOURCE_EXHAUSTED if there is not so much left,
  // ALREADY_EXISTS, those of ParseClaimRequest() and of OpenClaims. All say what
  // to do. Blocks as OpenClaims::Open() and Close() do.
  std::string Answer(absl::string_view request, const Peer& peer,
                     absl::FunctionRef<bool()> is_over) override;

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories) {
    claims_.Change(defaults, directories);
  }

  // Ends all sessions and keeps the files, for the next agent.
  void Stop() { claims_.Stop(); }

 private:
  using Entries = std::vector<session::ClaimEntry>;

  absl::StatusOr<Entries> Do(absl::string_view request, const Peer& peer,
                             absl::FunctionRef<bool()> is_over);
  absl::Status CheckMayAsk(const Peer& peer) const;
  absl::StatusOr<Entries> Open(const MemoryClaim& wanted,
                               absl::FunctionRef<bool()> is_over);
  absl::Status CheckFits(const MemoryClaim& wanted) const;
  Entries List() const;
  session::ClaimEntry EntryOf(const OpenClaim& open) const;

  const NodeAmounts node_;
  OpenClaims claims_;
  mutable absl::Mutex mutex_;
  bool has_begun_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_LOCAL_CLAIMS_H_
