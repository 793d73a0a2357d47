#include "agents/kubernetes/claim_grant.h"

#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "agents/claims/json_text.h"
#include "agents/kubernetes/names.h"
#include "agents/kubernetes/quantity.h"

namespace stowage::agent {
namespace {

// More than any node has; sums stay far from 2^63.
constexpr int64_t kMostBytes = int64_t{1} << 60;

// A uid is part of file names.
bool IsUid(const std::string& uid) {
  if (uid.empty() || uid.size() > 64) return false;
  for (const char c : uid) {
    if (!absl::ascii_isalnum(c) && c != '-') return false;
  }
  return true;
}

absl::Status CheckUid(const nlohmann::json& claim, const ClaimRef& ref) {
  const std::string uid = TextAt(claim, "/metadata/uid");
  if (!IsUid(ref.uid)) {
    return absl::InvalidArgumentError(absl::StrCat(NameOf(ref), ": '",
                                                   absl::CHexEscape(ref.uid),
                                                   "' is no uid of a claim"));
  }
  if (uid == ref.uid) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      NameOf(ref), " has uid ", absl::CHexEscape(uid), ", and the pod is for ",
      ref.uid, ": it was deleted and made again; make the pod again, too"));
}

// Adds one allocation result to the grant.
absl::Status AddResult(const nlohmann::json& result, const NodeMemory& memory,
                       ClaimGrant& grant) {
  const GrantedDevice device{.pool = TextAt(result, "/pool"),
                             .device = TextAt(result, "/device"),
                             .share_id = TextAt(result, "/shareID")};
  const bool is_fast = device.device == kFastDevice;
  if (!is_fast && device.device != kSlowDevice) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOf(grant.claim), " has the device '",
                     absl::CHexEscape(device.device), "', and nodes have '",
                     kFastDevice, "' and '", kSlowDevice, "'"));
  }
  if (At(result, "/adminAccess") == true) {
    return absl::FailedPreconditionError(absl::StrCat(
        NameOf(grant.claim),
        " asks for admin access, which gives no memory; leave it out"));
  }
  // Without consumable capacity a claim has the whole device.
  int64_t bytes = is_fast ? memory.fast.bytes : memory.slow.bytes;
  const nlohmann::json& consumed = At(result, "/consumedCapacity/memory");
  if (!consumed.is_null()) {
    const absl::StatusOr<int64_t> amount =
        ParseQuantity(TextAt(result, "/consumedCapacity/memory"));
    if (!amount.ok()) return amount.status();
    bytes = *amount;
  }
  int64_t& total_bytes = is_fast ? grant.fast_bytes : grant.slow_bytes;
  total_bytes = std::min(total_bytes + bytes, kMostBytes);
  grant.devices.push_back(device);
  return absl::OkStatus();
}

absl::Status CheckAmount(const ClaimGrant& grant, const char* device,
                         int64_t bytes, int64_t most_bytes) {
  if (bytes <= 0) {
    return absl::FailedPreconditionError(
        absl::StrCat(NameOf(grant.claim), " has no memory of the device '",
                     device, "', and a job needs both; let it request '",
                     kFastDevice, "' and '", kSlowDevice, "'"));
  }
  if (bytes <= most_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      NameOf(grant.claim), " has ", bytes, " bytes of '", device,
      "', and the node has ", most_bytes,
      ": it has been given less since; delete the pod and its claim, so that "
      "the scheduler finds another node"));
}

// Adds `devices` of this driver in the pool `node`; says where others are.
absl::Status AddResults(const nlohmann::json& claim, const std::string& node,
                        const NodeMemory& memory, ClaimGrant& grant) {
  std::string elsewhere;
  for (const nlohmann::json& result :
       ListAt(claim, "/status/allocation/devices/results")) {
    if (TextAt(result, "/driver") != kDriverName) continue;
    if (TextAt(result, "/pool") != node) {
      elsewhere = TextAt(result, "/pool");
      continue;
    }
    if (absl::Status s = AddResult(result, memory, grant); !s.ok()) return s;
  }
  if (!grant.devices.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      NameOf(grant.claim), " has no memory of ", kDriverName, " on node '",
      node, "'",
      elsewhere.empty()
          ? std::string("; look at its status.allocation")
          : absl::StrCat(", but on '", absl::CHexEscape(elsewhere),
                         "'; start the agent with --node as the Node is "
                         "called")));
}

}  // namespace

std::string NameOf(const ClaimRef& ref) {
  return absl::StrCat("claim '", absl::CHexEscape(ref.namespace_name), "/",
                      absl::CHexEscape(ref.name), "'");
}

absl::StatusOr<ClaimGrant> ReadGrant(const nlohmann::json& claim,
                                     const ClaimRef& ref,
                                     const std::string& node,
                                     const NodeMemory& memory) {
  if (absl::Status s = CheckUid(claim, ref); !s.ok()) return s;
  ClaimGrant grant{.claim = ref};
  const absl::Status added = AddResults(claim, node, memory, grant);
  if (!added.ok()) return added;
  absl::Status fits =
      CheckAmount(grant, kFastDevice, grant.fast_bytes, memory.fast.bytes);
  fits.Update(
      CheckAmount(grant, kSlowDevice, grant.slow_bytes, memory.slow.bytes));
  if (!fits.ok()) return fits;
  return grant;
}

MemoryClaim ClaimOf(const ClaimGrant& grant) {
  nlohmann::json devices = nlohmann::json::array();
  for (const GrantedDevice& device : grant.devices) {
    devices.push_back({{"pool", device.pool},
                       {"device", device.device},
                       {"shareID", device.share_id}});
  }
  return {.id = grant.claim.uid,
          .owner = NameOf(grant.claim),
          .fast_bytes = grant.fast_bytes,
          .slow_bytes = grant.slow_bytes,
          .details = {{"namespace", grant.claim.namespace_name},
                      {"name", grant.claim.name},
                      {"devices", devices}}};
}

absl::StatusOr<ClaimGrant> GrantOf(const MemoryClaim& claim) {
  ClaimGrant grant{
      .claim = {.namespace_name = TextAt(claim.details, "/namespace"),
                .name = TextAt(claim.details, "/name"),
                .uid = claim.id},
      .fast_bytes = claim.fast_bytes,
      .slow_bytes = claim.slow_bytes};
  for (const nlohmann::json& device : ListAt(claim.details, "/devices")) {
    grant.devices.push_back({.pool = TextAt(device, "/pool"),
                             .device = TextAt(device, "/device"),
                             .share_id = TextAt(device, "/shareID")});
  }
  if (!grant.devices.empty()) return grant;
  return absl::InvalidArgumentError(
      absl::StrCat(claim.owner, " has no devices; delete its pod"));
}

}  // namespace stowage::agent
