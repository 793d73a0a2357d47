// Gives each call an id, and writes a log line of those that change something,
// or that the service fails to serve.
//
//   creators.push_back(std::make_unique<AuditInterceptorFactory>(&access));
//   builder.experimental().SetInterceptorCreators(std::move(creators));
//
// The id returns to the client in trailing metadata, which every call has,
// however it ends.
#ifndef STOWAGE_SERVER_CALLS_AUDIT_INTERCEPTOR_H_
#define STOWAGE_SERVER_CALLS_AUDIT_INTERCEPTOR_H_

#include "grpcpp/support/server_interceptor.h"
#include "server/access/access.h"

namespace stowage {

// Thread-safe. Does not own `access`, which must outlive the server. Comes after
// interceptors that change statuses.
class AuditInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  explicit AuditInterceptorFactory(const Access* access) : access_(access) {}

  // Returns null for methods that are not ours, or that CountedCall serves.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;

 private:
  const Access* const access_;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_AUDIT_INTERCEPTOR_H_
