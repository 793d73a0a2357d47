// Translates statuses for the wire.
//
//   return ToGrpcStatus(store->DeleteGraph(id));
#ifndef STOWAGE_SERVER_CALLS_STATUS_H_
#define STOWAGE_SERVER_CALLS_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace stowage {

// Returns the status as gRPC's. Both libraries number the canonical codes
// alike. Payloads that are messages, whose type URL begins with
// "type.googleapis.com/", become details.
grpc::Status ToGrpcStatus(const absl::Status& status);

// Returns UNAVAILABLE, with which streams end when the server drains.
absl::Status DrainingStatus();
// Returns whether a status is that.
bool IsDraining(const absl::Status& status);

}  // namespace stowage

#endif  // STOWAGE_SERVER_CALLS_STATUS_H_
