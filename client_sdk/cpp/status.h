// Translates statuses from the wire.
//
//   absl::Status status =
//       FromGrpcStatus(stub->GetGraph(&context, request, &response));
#ifndef STOWAGE_CLIENT_SDK_CPP_STATUS_H_
#define STOWAGE_CLIENT_SDK_CPP_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace stowage {

// Returns the status as Abseil's. Both libraries number the canonical codes
// alike. Details become payloads under their type URLs; those that cannot be
// read are left out.
absl::Status FromGrpcStatus(const grpc::Status& status);

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_CPP_STATUS_H_
