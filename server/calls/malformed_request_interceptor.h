// Refuses a request that is no message of its method's type, and says so. gRPC
// alone would answer INTERNAL without a message.
//
//   creators.push_back(std::make_unique<MalformedRequestInterceptorFactory>());
//   builder.experimental().SetInterceptorCreators(std::move(creators));
//
// Requests of streams do not come here, because ExchangeStream reads them
// itself.
#ifndef STOWAGE_SERVER_CALLS_MALFORMED_REQUEST_INTERCEPTOR_H_
#define STOWAGE_SERVER_CALLS_MALFORMED_REQUEST_INTERCEPTOR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "grpcpp/support/server_interceptor.h"

namespace stowage {

// Returns INVALID_ARGUMENT, which says that the bytes are no message of `type`.
absl::Status MalformedRequest(absl::string_view type);

// Thread-safe. Must come before interceptors that look at statuses.
class MalformedRequestInterceptorFactory final
    : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  // Returns null for methods that are not ours, which gRPC then does not
  // intercept.
  grpc::experimental::Interceptor* CreateServerInterceptor(
      grpc::experimental::ServerRpcInfo* info) override;
};

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_MALFORMED_REQUEST_INTERCEPTOR_H_
