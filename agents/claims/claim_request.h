// Checks what somebody at the agent's socket wants to do with claims.
//
//   absl::StatusOr<ClaimWish> wish = ParseClaimRequest(bytes);
#ifndef STOWAGE_AGENTS_CLAIMS_CLAIM_REQUEST_H_
#define STOWAGE_AGENTS_CLAIMS_CLAIM_REQUEST_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "agents/claims/memory_claim.h"
#include "client_sdk/session/claim.h"

namespace stowage::agent {

// Plain data.
struct ClaimWish {
  session::ClaimAction action = session::kClaimList;
  MemoryClaim claim;  // to close: its id alone
};

// INVALID_ARGUMENT, with what to do, if `bytes` are no request of this version,
// or if its name, an amount or the user makes no sense. Pure.
absl::StatusOr<ClaimWish> ParseClaimRequest(absl::string_view bytes);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_CLAIMS_CLAIM_REQUEST_H_
