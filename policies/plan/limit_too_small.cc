#include "policies/plan/limit_too_small.h"

#include "absl/strings/cord.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/any.pb.h"
#include "stowage/v1/status.pb.h"

namespace stowage::policies {

absl::Status LimitTooSmallError(const LimitTooSmall& what,
                                std::string_view message) {
  v1::LimitTooSmall detail;
  detail.set_least_limit_bytes(what.least_limit_bytes);
  detail.set_kernel(what.kernel);
  detail.set_kernel_name(what.kernel_name);
  google::protobuf::Any any;
  any.PackFrom(detail);
  absl::Status status = absl::FailedPreconditionError(
      absl::string_view(message.data(), message.size()));
  status.SetPayload(any.type_url(), absl::Cord(any.value()));
  return status;
}

}  // namespace stowage::policies
