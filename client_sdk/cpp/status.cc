#include "client_sdk/cpp/status.h"

#include "absl/strings/cord.h"
#include "google/protobuf/any.pb.h"
#include "stowage/v1/status.pb.h"

namespace stowage {

absl::Status FromGrpcStatus(const grpc::Status& status) {
  absl::Status converted(static_cast<absl::StatusCode>(status.error_code()),
                         status.error_message());
  v1::StatusDetails details;
  if (!details.ParseFromString(status.error_details())) return converted;
  for (const google::protobuf::Any& detail : details.details()) {
    converted.SetPayload(detail.type_url(), absl::Cord(detail.value()));
  }
  return converted;
}

}  // namespace stowage
