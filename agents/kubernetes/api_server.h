// Calls the API server of a Kubernetes cluster.
//
//   const ApiServer api({.url = "https://10.0.0.1:443",
//                        .token_file = "/run/token", .ca_file = "/run/ca.crt"});
//   absl::StatusOr<nlohmann::json> node = api.Get("/api/v1/nodes/node1");
#ifndef STOWAGE_AGENTS_KUBERNETES_API_SERVER_H_
#define STOWAGE_AGENTS_KUBERNETES_API_SERVER_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agents/kubernetes/api_address.h"
#include "nlohmann/json.hpp"
#include "timing/bell.h"

namespace stowage::agent {

// Returns how a process in a pod reaches the API server of its cluster, as its
// service account. FAILED_PRECONDITION outside of a pod.
absl::StatusOr<ApiServerAddress> InClusterAddress();

// Thread-safe: each call has a connection of its own. Reads the token anew each
// time, since the kubelet replaces it.
//
// Errors of all calls: NOT_FOUND, PERMISSION_DENIED (401 and 403), ABORTED (409:
// somebody else was faster), INVALID_ARGUMENT (400 and 422), UNAVAILABLE (no
// answer, or any other status). Messages have what the server says.
class ApiServer {
 public:
  explicit ApiServer(ApiServerAddress address) : address_(std::move(address)) {}

  // `path` begins with '/' and may have a query. All block for 15 s at most.
  absl::StatusOr<nlohmann::json> Get(const std::string& path) const;
  absl::StatusOr<nlohmann::json> Post(const std::string& path,
                                      const nlohmann::json& object) const;
  absl::StatusOr<nlohmann::json> Put(const std::string& path,
                                     const nlohmann::json& object) const;
  absl::Status Delete(const std::string& path) const;

  // Blocks until something of the list at `path` (which has a query) changes
  // after `resource_version`, until some minutes have passed, or until `stop`
  // rings.
  absl::Status AwaitChange(const std::string& path,
                           const std::string& resource_version,
                           const Bell& stop) const;

 private:
  const ApiServerAddress address_;
};

// Returns `text` as part of a path or a query.
std::string Escaped(const std::string& text);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_API_SERVER_H_
