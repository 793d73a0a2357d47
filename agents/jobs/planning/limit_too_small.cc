#include "agents/jobs/planning/limit_too_small.h"

#include <string>

#include "absl/strings/cord.h"
#include "google/protobuf/any.pb.h"

namespace stowage::agent {

std::optional<v1::LimitTooSmall> LimitTooSmallOf(const absl::Status& status) {
  v1::LimitTooSmall detail;
  google::protobuf::Any any;
  any.PackFrom(detail);
  const absl::optional<absl::Cord> value = status.GetPayload(any.type_url());
  if (!value.has_value() || !detail.ParseFromString(std::string(*value))) {
    return std::nullopt;
  }
  return detail;
}

}  // namespace stowage::agent
