// Says what the container runtime changes in the containers of a claim, in the
// form of the Container Device Interface.
//
//   nlohmann::json spec = CdiSpecOf(grant, {.socket_dir = "/run/stowage/claims/1",
//                                           .sdk_dir = "/opt/stowage"});
//   std::string device = CdiDeviceOf(grant.claim.uid);
#ifndef STOWAGE_AGENTS_KUBERNETES_CDI_SPEC_H_
#define STOWAGE_AGENTS_KUBERNETES_CDI_SPEC_H_

#include <string>

#include "agents/kubernetes/claim_grant.h"
#include "nlohmann/json.hpp"

namespace stowage::agent {

// Directories of the host that containers see.
struct CdiMounts {
  std::string socket_dir;  // holds the claim's socket
  std::string sdk_dir;     // holds the libraries of jobs, as Install.cmake says
};

// Returns the specification with one device, the claim. Every process in its
// containers loads libstowage_preload.so, so that those that use PyTorch become
// jobs of the claim. What a pod says by itself (STOWAGE_FAST, STOWAGE_SLOW, ...)
// stays. Pure.
nlohmann::json CdiSpecOf(const ClaimGrant& grant, const CdiMounts& mounts);

// Returns "memory.stowage.dev/claim=UID".
std::string CdiDeviceOf(const std::string& uid);

// Returns the name of the file for that device.
std::string CdiFileOf(const std::string& uid);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_CDI_SPEC_H_
