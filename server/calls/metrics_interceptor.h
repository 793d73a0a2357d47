// Counts every RPC of our services, however it is served.
//
//   creators.push_back(std::make_unique<MetricsInterceptorFactory>(&metrics));
//   builder.experimental().SetInterceptorCreators(std::move(creators));
#ifndef STOWAGE_SERVER_CALLS_METRICS_INTERCEPTOR_H_
#define STOWAGE_SERVER_CALLS_METRICS_INTERCEPTOR_H_

#include "grpcpp/support/server_interceptor.h"
#include "server/metrics/server_metrics.h"

namespace stowage {

// Thread-safe. Does not own the metrics, which must outlive the server.
class MetricsInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit MetricsInterceptorFactory(ServerMetrics* metrics)
      : metrics_(metrics) {}

  // Returns null for methods that are not ours, which gRPC then does not
  // intercept.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  ServerMetrics* const metrics_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_METRICS_INTERCEPTOR_H_
