// Answers those who connect to the agent's socket and want a claim, not a job.
//
//   if (IsClaimRequest(bytes)) {
//     const std::string answer = desk->Answer(bytes, peer, is_over);
//   }
#ifndef STOWAGE_AGENTS_JOBS_ADMISSION_CLAIM_DESK_H_
#define STOWAGE_AGENTS_JOBS_ADMISSION_CLAIM_DESK_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "agents/jobs/admission/peer.h"
#include "client_sdk/session/claim.h"

namespace stowage::agent {

// Thread-safe.
class ClaimDesk {
 public:
  virtual ~ClaimDesk() = default;

  // Returns the answer to a request, which may be anything, as ClaimAnswerOf()
  // writes it. May block until `is_over` says that nobody waits any more.
  virtual std::string Answer(absl::string_view request, const Peer& peer,
                             absl::FunctionRef<bool()> is_over) = 0;
};

// Returns whether a first message is such a request, of whatever version.
bool IsClaimRequest(absl::string_view bytes);

// Returns the message that tells the status and at most session::kMostClaims
// entries. Pure.
std::string ClaimAnswerOf(const absl::Status& status,
                          const std::vector<session::ClaimEntry>& entries);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_ADMISSION_CLAIM_DESK_H_
