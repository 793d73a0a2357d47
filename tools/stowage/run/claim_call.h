// Asks a node agent to open, close or list claims.
//
//   session::ClaimRequest request{.action = session::kClaimList};
//   absl::StatusOr<std::vector<session::ClaimEntry>> claims =
//       CallForClaims("/run/stowage/agent.sock", request);
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_CLAIM_CALL_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_CLAIM_CALL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client_sdk/session/claim.h"

namespace stowage::cli {

// Sends the request, in which it sets magic and version, and returns the
// entries of the answer. What the agent refuses has its status and its words.
// UNAVAILABLE: no agent listens there, or it does not answer. Where an agent has
// left its socket, waits up to 10 s for the next one, and says so on the
// terminal. Blocks for 45 s at most while the agent does what is asked.
absl::StatusOr<std::vector<session::ClaimEntry>> CallForClaims(
    const std::string& socket_path, session::ClaimRequest request);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_CLAIM_CALL_H_
