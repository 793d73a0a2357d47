#include "server/calls/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/any.pb.h"
#include "stowage/v1/status.pb.h"

namespace stowage {
namespace {

constexpr absl::string_view kMessageUrl = "type.googleapis.com/";
// Marks a status within the server, and is never sent.
constexpr absl::string_view kDrainingPayload = "stowage.draining";

}  // namespace

absl::Status DrainingStatus() {
  absl::Status status = absl::UnavailableError(
      "the server is shutting down; reconnect with back-off");
  status.SetPayload(kDrainingPayload, absl::Cord());
  return status;
}

bool IsDraining(const absl::Status& status) {
  return status.GetPayload(kDrainingPayload).has_value();
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  v1::StatusDetails details;
  status.ForEachPayload(
      [&details](absl::string_view type_url, const absl::Cord& value) {
        if (!absl::StartsWith(type_url, kMessageUrl)) return;
        google::protobuf::Any* detail = details.add_details();
        detail->set_type_url(std::string(type_url));
        detail->set_value(std::string(value));
      });
  const auto code = static_cast<grpc::StatusCode>(status.code());
  const std::string message(status.message());
  if (details.details().empty()) return grpc::Status(code, message);
  details.set_code(code);
  details.set_message(message);
  return grpc::Status(code, message, details.SerializeAsString());
}

}  // namespace stowage
