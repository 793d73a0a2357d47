// Says where the API server of a Kubernetes cluster is.
//
//   ApiServerAddress address{.url = "https://10.0.0.1:443",
//                            .token_file = "/run/token",
//                            .ca_file = "/run/ca.crt"};
#ifndef STOWAGE_AGENTS_KUBERNETES_API_ADDRESS_H_
#define STOWAGE_AGENTS_KUBERNETES_API_ADDRESS_H_

#include <string>

namespace stowage::agent {

// Plain data.
struct ApiServerAddress {
  std::string url;         // "https://HOST:PORT"
  std::string token_file;  // bearer token; empty: none
  std::string ca_file;     // PEM; empty: the host's authorities
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_API_ADDRESS_H_
