#include "agents/kubernetes/cdi_spec.h"

#include "absl/strings/str_cat.h"
#include "agents/kubernetes/names.h"
#include "client_sdk/session/claim.h"

namespace stowage::agent {
namespace {

// The first release in which a name may begin with a digit, as uids do.
constexpr char kCdiVersion[] = "0.5.0";
// Where containers see the two directories.
constexpr char kSocketMount[] = "/run/stowage/claim";
constexpr char kSdkMount[] = "/run/stowage/sdk";
// session::Hello::run_id has room for so much.
constexpr size_t kMostRunId = 63;

nlohmann::json MountOf(const std::string& host, const char* container) {
  return {{"hostPath", host},
          {"containerPath", container},
          {"options", {"ro", "nosuid", "nodev", "bind"}}};
}

nlohmann::json EnvironmentOf(const ClaimGrant& grant) {
  return {
      absl::StrCat("LD_PRELOAD=", kSdkMount, "/lib/libstowage_preload.so"),
      absl::StrCat("STOWAGE_PLUGIN=", kSdkMount, "/lib/libstowage_torch.so"),
      absl::StrCat("STOWAGE_PYTHON=", kSdkMount, "/share/stowage/python"),
      absl::StrCat("STOWAGE_AGENT=", kSocketMount, "/", session::kClaimSocket),
      absl::StrCat("STOWAGE_RUN_ID=", grant.claim.name.substr(0, kMostRunId)),
  };
}

}  // namespace

nlohmann::json CdiSpecOf(const ClaimGrant& grant, const CdiMounts& mounts) {
  const nlohmann::json edits = {{"env", EnvironmentOf(grant)},
                                {"mounts",
                                 {MountOf(mounts.socket_dir, kSocketMount),
                                  MountOf(mounts.sdk_dir, kSdkMount)}}};
  return {{"cdiVersion", kCdiVersion},
          {"kind", kCdiKind},
          {"devices", nlohmann::json::array({{{"name", grant.claim.uid},
                                              {"containerEdits", edits}}})}};
}

std::string CdiDeviceOf(const std::string& uid) {
  return absl::StrCat(kCdiKind, "=", uid);
}

std::string CdiFileOf(const std::string& uid) {
  return absl::StrCat(kDriverName, "-claim_", uid, ".json");
}

}  // namespace stowage::agent
