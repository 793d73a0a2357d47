// Makes the node agent a driver of Kubernetes' Dynamic Resource Allocation: tells
// the scheduler of the node's memory, and prepares claims for the kubelet.
//
//   absl::StatusOr<std::unique_ptr<KubernetesDriver>> driver =
//       KubernetesDriver::Start(options, memory, serving);
//   (*driver)->Stop();
#ifndef STOWAGE_AGENTS_KUBERNETES_KUBERNETES_DRIVER_H_
#define STOWAGE_AGENTS_KUBERNETES_KUBERNETES_DRIVER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "agents/kubernetes/api_server.h"
#include "agents/kubernetes/kubelet_services.h"
#include "agents/kubernetes/kubernetes_options.h"
#include "agents/kubernetes/node_memory.h"
#include "agents/kubernetes/prepared_claims.h"
#include "agents/kubernetes/slice_publisher.h"
#include "grpcpp/grpcpp.h"

namespace stowage::agent {

// Thread-safe.
class KubernetesDriver {
 public:
  // Serves the claims of an agent before this one, and then the kubelet, when it
  // returns. FAILED_PRECONDITION without an API server, UNAVAILABLE if the
  // kubelet's directories do not serve; both say what to do. What `serving`
  // points to must outlive it. Blocks on the file system.
  static absl::StatusOr<std::unique_ptr<KubernetesDriver>> Start(
      const KubernetesOptions& options, const NodeMemory& memory,
      const ClaimServing& serving);
  ~KubernetesDriver();

  // Serves jobs that begin from now on with these.
  void Change(const JobDefaults& defaults, const JobDirectories& directories) {
    claims_.Change(defaults, directories);
  }

  // Stops serving the kubelet and ends the sessions of claims, which the next
  // agent serves again. Blocks until no move is under way.
  void Stop();

  int claims() const { return claims_.count(); }
  bool is_published() const { return publisher_->is_published(); }
  bool is_registered() const { return services_.is_registered(); }

 private:
  KubernetesDriver(const KubernetesOptions& options, ApiServerAddress api,
                   const NodeMemory& memory, const ClaimServing& serving);

  absl::Status Serve();

  const KubernetesOptions options_;
  const ApiServer api_;
  PreparedClaims claims_;
  KubeletServices services_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<SlicePublisher> publisher_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_KUBERNETES_DRIVER_H_
