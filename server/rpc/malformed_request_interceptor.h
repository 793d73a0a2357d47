// Refuses a request that is not a message of its method's type, and says so;
// gRPC itself answers with INTERNAL and without a message.
//
//   creators.push_back(std::make_unique<MalformedRequestInterceptorFactory>());
//   builder.experimental().SetInterceptorCreators(std::move(creators));
//
// Requests of streams do not pass through here: ExchangeStream reads them
// itself.
#ifndef STOWAGE_SERVER_RPC_MALFORMED_REQUEST_INTERCEPTOR_H_
#define STOWAGE_SERVER_RPC_MALFORMED_REQUEST_INTERCEPTOR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/server_interceptor.h"

namespace stowage {

// INVALID_ARGUMENT: the bytes are no message of that type.
absl::Status MalformedRequest(absl::string_view type);

// Thread-safe. Comes before interceptors that look at statuses.
class MalformedRequestInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // Null for methods that are not ours: gRPC then goes without.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_MALFORMED_REQUEST_INTERCEPTOR_H_
