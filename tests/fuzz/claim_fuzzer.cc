// Reads what an API server of Kubernetes says of claims and slices, what an agent
// before left of a claim, and what somebody at the socket wants of claims.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "agents/claims/claim_request.h"
#include "agents/claims/json_text.h"
#include "agents/claims/memory_claim.h"
#include "agents/kubernetes/cdi_spec.h"
#include "agents/kubernetes/claim_grant.h"
#include "agents/kubernetes/quantity.h"
#include "agents/kubernetes/resource_slice.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/require.h"

namespace stowage::agent {
namespace {

constexpr NodeMemory kMemory{.fast = {.bytes = int64_t{8} << 30},
                             .slow = {.bytes = int64_t{64} << 30}};

absl::StatusOr<ClaimGrant> ReadGrantOf(nlohmann::json json) {
  const auto claim = ReadMemoryClaim(std::move(json));
  if (!claim.ok()) return claim.status();
  return GrantOf(*claim);
}

void CheckRequest(const std::string& text) {
  const auto wish = ParseClaimRequest(text);
  RequireRefusal(wish.status());
  if (!wish.ok() || wish->action != session::kClaimOpen) return;
  const auto again = ReadMemoryClaim(JsonOf(wish->claim));
  Require(again.ok() && again->id == wish->claim.id &&
              again->user == wish->claim.user &&
              again->fast_bytes == wish->claim.fast_bytes,
          "a claim that is asked for can be kept");
}

void CheckGrant(const ClaimGrant& grant) {
  const auto again = ReadGrantOf(JsonOf(ClaimOf(grant)));
  Require(again.ok() && again->fast_bytes == grant.fast_bytes &&
              again->slow_bytes == grant.slow_bytes &&
              again->devices == grant.devices,
          "what is written can be read");
  const nlohmann::json spec = CdiSpecOf(grant, {});
  Require(!spec.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)
               .empty(),
          "a claim has a specification");
  Require(grant.claim.uid.find('/') == std::string::npos,
          "a uid is part of a file name");
}

void ReadClaim(const nlohmann::json& json) {
  const ClaimRef ref{.namespace_name = TextAt(json, "/metadata/namespace"),
                     .name = TextAt(json, "/metadata/name"),
                     .uid = TextAt(json, "/metadata/uid")};
  const auto grant = ReadGrant(json, ref, "node1", kMemory);
  RequireRefusal(grant.status());
  if (!grant.ok()) return;
  Require(grant->fast_bytes > 0 && grant->fast_bytes <= kMemory.fast.bytes &&
              grant->slow_bytes > 0 && grant->slow_bytes <= kMemory.slow.bytes,
          "a grant is within the node's memory");
  CheckGrant(*grant);
}

void Fuzz(const uint8_t* data, size_t size) {
  const std::string text(FuzzInput(data, size).Rest());
  const auto bytes = ParseQuantity(text);
  RequireRefusal(bytes.status());
  if (bytes.ok()) {
    Require(*ParseQuantity(QuantityOf(*bytes)) == *bytes,
            "what is written can be read");
  }
  CheckRequest(text);
  const nlohmann::json json = ParseJson(text);
  ReadClaim(json);
  const auto grant = ReadGrantOf(json);
  RequireRefusal(grant.status());
  if (grant.ok()) CheckGrant(*grant);
  Require(TellsTheSame(json, json), "a slice tells the same as itself");
}

}  // namespace
}  // namespace stowage::agent

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::agent::Fuzz(data, size);
  return 0;
}
