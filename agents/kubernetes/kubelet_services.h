// Serves the kubelet: says who the driver is, and prepares claims for it.
//
//   KubeletServices services(&claims, "/var/lib/kubelet/plugins/"
//                                     "memory.stowage.dev/dra.sock");
//   services.AddTo(&builder);   // of the gRPC server at both sockets
#ifndef STOWAGE_AGENTS_KUBERNETES_KUBELET_SERVICES_H_
#define STOWAGE_AGENTS_KUBERNETES_KUBELET_SERVICES_H_

#include <memory>
#include <string>
#include <vector>

#include "agents/kubernetes/prepared_claims.h"
#include "grpcpp/grpcpp.h"

namespace stowage::agent {

// Thread-safe. Speaks k8s.io/kubelet's pluginregistration/v1, and dra/v1 and
// dra/v1beta1 for kubelets before 1.34.
class KubeletServices {
 public:
  // `claims` must outlive it.
  KubeletServices(PreparedClaims* claims, std::string dra_socket);
  ~KubeletServices();

  // Adds the services, which must outlive the server.
  void AddTo(grpc::ServerBuilder* builder) const;

  // Returns whether the kubelet has said that it knows the driver.
  bool is_registered() const;

 private:
  class Registration;

  std::unique_ptr<Registration> registration_;
  std::vector<std::unique_ptr<grpc::Service>> services_;
};

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_KUBERNETES_KUBELET_SERVICES_H_
