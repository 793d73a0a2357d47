#include "agents/kubernetes/prepared_claims.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "agents/claims/claim_files.h"
#include "agents/claims/json_text.h"
#include "agents/jobs/records/whole_file.h"
#include "agents/kubernetes/cdi_spec.h"
#include "daemon/log.h"

namespace stowage::agent {

PreparedClaims::PreparedClaims(ClaimPlaces places, NodeMemory memory,
                               ClaimServing serving, FetchClaim fetch)
    : places_(std::move(places)),
      memory_(std::move(memory)),
      fetch_(std::move(fetch)),
      // Only the agent enters it: containers have the directory of their claim
      // mounted.
      claims_({.path = places_.state_dir,
               .mode = 0700,
               .publish = [this](const MemoryClaim& c) { return WriteSpec(c); },
               .withdraw =
                   [this](const std::string& uid) {
                     return RemoveAll(CdiFile(uid));
                   }},
              std::move(serving)) {}

std::string PreparedClaims::CdiFile(const std::string& uid) const {
  return absl::StrCat(places_.cdi_dir, "/", CdiFileOf(uid));
}

absl::StatusOr<ClaimGrant> PreparedClaims::Prepare(
    const ClaimRef& ref, absl::FunctionRef<bool()> is_over) {
  const absl::StatusOr<MemoryClaim> claim = claims_.Open(
      ref.uid, [&] { return Fetch(ref); }, is_over);
  absl::StatusOr<ClaimGrant> grant =
      claim.ok() ? GrantOf(*claim) : absl::StatusOr<ClaimGrant>(claim.status());
  if (!grant.ok()) {
    Log(LogLevel::kWarning, "a claim cannot be prepared",
        {{"claim", NameOf(ref)}, {"error", grant.status().message()}});
  }
  return grant;
}

absl::StatusOr<MemoryClaim> PreparedClaims::Fetch(const ClaimRef& ref) const {
  const absl::StatusOr<nlohmann::json> stored = fetch_(ref);
  if (!stored.ok()) return stored.status();
  const absl::StatusOr<ClaimGrant> grant =
      ReadGrant(*stored, ref, places_.node, memory_);
  if (!grant.ok()) return grant.status();
  return ClaimOf(*grant);
}

absl::Status PreparedClaims::WriteSpec(const MemoryClaim& claim) const {
  const absl::StatusOr<ClaimGrant> grant = GrantOf(claim);
  if (!grant.ok()) return grant.status();
  if (absl::Status s = MakeDirectory(places_.cdi_dir, 0755); !s.ok()) return s;
  const nlohmann::json spec = CdiSpecOf(
      *grant,
      {.socket_dir = claims_.SocketDir(claim.id), .sdk_dir = places_.sdk_dir});
  return WriteWholeFile(CdiFile(claim.id), TextOf(spec));
}

}  // namespace stowage::agent
