#include "agents/claims/memory_claim.h"

#include <limits>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "agents/claims/json_text.h"

namespace stowage::agent {
namespace {

constexpr size_t kMostIdChars = 64;

bool IsIdChar(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '_' || c == '-';
}

absl::Status NoClaim() {
  return absl::InvalidArgumentError(
      "this is no claim that an agent has opened; delete the file");
}

}  // namespace

absl::Status CheckClaimId(absl::string_view id) {
  // The files of a claim are ID and ID.json, so ".json" in an id would mix up
  // those of two claims.
  if (!id.empty() && id.size() <= kMostIdChars && id.front() != '.' &&
      absl::c_all_of(id, IsIdChar) && !absl::StrContains(id, ".json")) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "'", absl::CHexEscape(id), "' is no name of a claim: use 1 to ",
      kMostIdChars,
      " letters, digits, '.', '_' and '-', no '.' in front and no '.json'"));
}

nlohmann::json JsonOf(const MemoryClaim& claim) {
  nlohmann::json json = claim.details;
  json["uid"] = claim.id;
  json["owner"] = claim.owner;
  json["fastBytes"] = claim.fast_bytes;
  json["slowBytes"] = claim.slow_bytes;
  if (claim.user) json["user"] = *claim.user;
  return json;
}

absl::StatusOr<MemoryClaim> ReadMemoryClaim(nlohmann::json json) {
  MemoryClaim claim{.id = TextAt(json, "/uid"),
                    .owner = TextAt(json, "/owner"),
                    .fast_bytes = NumberAt(json, "/fastBytes"),
                    .slow_bytes = NumberAt(json, "/slowBytes")};
  if (!CheckClaimId(claim.id).ok() || claim.fast_bytes <= 0 ||
      claim.slow_bytes <= 0) {
    return NoClaim();
  }
  if (json.contains("user")) {
    const nlohmann::json& user = json["user"];
    if (!user.is_number_unsigned() ||
        user.get<uint64_t>() >= std::numeric_limits<uid_t>::max()) {
      return NoClaim();
    }
    claim.user = user.get<uid_t>();
  }
  if (claim.owner.empty()) claim.owner = absl::StrCat("claim '", claim.id, "'");
  claim.details = std::move(json);
  return claim;
}

}  // namespace stowage::agent
