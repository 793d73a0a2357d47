#include "agents/claims/claim_request.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client_sdk/session/session.h"

namespace stowage::agent {
namespace {

absl::Status CheckVersion(absl::string_view bytes) {
  session::ClaimRequest request;
  if (bytes.size() == sizeof(request)) {
    std::memcpy(&request, bytes.data(), sizeof(request));
    if (request.version == session::kVersion) return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      "the request is one of another release; install the same release of "
      "agent and stowage");
}

absl::Status CheckAmount(const char* what, int64_t bytes) {
  if (bytes > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a claim of ", bytes, " bytes of ", what,
                   " memory makes no sense; a job needs both kinds"));
}

absl::Status CheckClaim(const MemoryClaim& claim) {
  absl::Status status = CheckAmount("fast", claim.fast_bytes);
  status.Update(CheckAmount("slow", claim.slow_bytes));
  // Linux means nobody by that number.
  if (*claim.user == std::numeric_limits<uid_t>::max()) {
    status.Update(absl::InvalidArgumentError(
        absl::StrCat("there is no user ", *claim.user)));
  }
  return status;
}

}  // namespace

absl::StatusOr<ClaimWish> ParseClaimRequest(absl::string_view bytes) {
  if (absl::Status s = CheckVersion(bytes); !s.ok()) return s;
  session::ClaimRequest request;
  std::memcpy(&request, bytes.data(), sizeof(request));
  ClaimWish wish;
  switch (request.action) {
    case session::kClaimList:
      return wish;
    case session::kClaimOpen:
    case session::kClaimClose:
      break;
    default:
      return absl::InvalidArgumentError(absl::StrCat(
          "an agent does not know what ", request.action,
          " is to do with a claim; install the same release of both"));
  }
  wish.action = static_cast<session::ClaimAction>(request.action);
  wish.claim.id.assign(request.name,
                       strnlen(request.name, sizeof(request.name)));
  if (absl::Status s = CheckClaimId(wish.claim.id); !s.ok()) return s;
  wish.claim.owner = absl::StrCat("claim '", wish.claim.id, "'");
  if (wish.action == session::kClaimClose) return wish;
  wish.claim.fast_bytes = request.fast_bytes;
  wish.claim.slow_bytes = request.slow_bytes;
  wish.claim.user = request.uid;
  if (absl::Status s = CheckClaim(wish.claim); !s.ok()) return s;
  return wish;
}

}  // namespace stowage::agent
