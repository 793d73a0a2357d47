#include "server/access/call_log.h"

#include "daemon/log.h"

namespace stowage {
namespace {

LogLevel LevelOf(absl::StatusCode code) {
  if (IsOwnFailure(code)) return LogLevel::kError;
  return code == absl::StatusCode::kPermissionDenied ||
                 code == absl::StatusCode::kUnauthenticated
             ? LogLevel::kWarning
             : LogLevel::kInfo;
}

}  // namespace

bool IsOwnFailure(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kUnknown:
    case absl::StatusCode::kInternal:
    case absl::StatusCode::kDataLoss:
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kResourceExhausted:
      return true;
    default:
      return false;
  }
}

LogFields FieldsOf(const CallRecord& call) {
  LogFields fields = {{"method", call.method},
                      {"code", absl::StatusCodeToString(call.status.code())},
                      {"request_id", call.request_id}};
  if (call.caller) {
    const bool is_known = !call.caller->identity.empty();
    fields.emplace_back("caller", is_known
                                      ? absl::string_view(call.caller->identity)
                                      : "plaintext peer");
    fields.emplace_back("role", RoleName(call.caller->role));
  }
  if (!call.peer.empty()) fields.emplace_back("peer", call.peer);
  fields.insert(fields.end(), call.objects.begin(), call.objects.end());
  if (!call.status.ok()) fields.emplace_back("reason", call.status.message());
  return fields;
}

void LogCall(const CallRecord& call) {
  Log(LevelOf(call.status.code()), call.status.ok() ? "call" : "call failed",
      FieldsOf(call));
}

}  // namespace stowage
