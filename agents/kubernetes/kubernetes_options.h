// Holds what a driver for Kubernetes is told when it starts.
//
//   KubernetesOptions options{.is_on = true, .node = "node1",
//                             .state_dir = "/run/stowage/claims"};
#ifndef STOWAGE_AGENTS_KUBERNETES_KUBERNETES_OPTIONS_H_
#define STOWAGE_AGENTS_KUBERNETES_KUBERNETES_OPTIONS_H_

#include <string>

#include "agents/kubernetes/api_address.h"

namespace stowage::agent {

// Plain data; docs/reference-agent.md says what each field is for.
struct KubernetesOptions {
  bool is_on = false;
  std::string kubelet_dir = "/var/lib/kubelet";
  std::string cdi_dir = "/var/run/cdi";
  std::string sdk_dir;    // empty: where this program is installed
  ApiServerAddress api;   // without a URL: that of the pod's cluster
  std::string node;       // as the Node object is called
  std::string state_dir;  // of claims
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_KUBERNETES_OPTIONS_H_
