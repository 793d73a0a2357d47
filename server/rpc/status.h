// Statuses on their way to the wire.
//
//   return ToGrpcStatus(store->DeleteGraph(id));
#ifndef STOWAGE_SERVER_RPC_STATUS_H_
#define STOWAGE_SERVER_RPC_STATUS_H_

#include <string>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace stowage {

// Both libraries number the canonical codes alike.
inline grpc::Status ToGrpcStatus(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()));
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_STATUS_H_
