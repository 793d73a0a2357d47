// Checks requests against the bounds that their protos state
// (proto/stowage/v1/bounds.proto).
//
//   absl::StatusOr<v1::GetPlanRequest> checked = Checked(*request);
//   if (!checked.ok()) return ToGrpcStatus(checked.status());
//   store->GetPlan(checked->plan_id());   // 64 lower-case hex digits
#ifndef STOWAGE_SERVER_RPC_REQUEST_BOUNDS_H_
#define STOWAGE_SERVER_RPC_REQUEST_BOUNDS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "google/protobuf/message.h"

namespace stowage {

// Checks a message. INVALID_ARGUMENT names the first field that is out of
// bounds, its value and the values that it may have. Thread-safe.
absl::Status CheckBounds(const google::protobuf::Message& request);

// Writes digests in lower case, and drops fields that this version does not
// know, so that everything that is kept of a request has been checked.
void Normalize(google::protobuf::Message* request);

// Returns the request, checked and normalised, or the error of CheckBounds().
template <typename Request>
absl::StatusOr<Request> Checked(const Request& request) {
  if (absl::Status valid = CheckBounds(request); !valid.ok()) return valid;
  Request normalized = request;
  Normalize(&normalized);
  return normalized;
}

}  // namespace stowage

#endif  // STOWAGE_SERVER_RPC_REQUEST_BOUNDS_H_
