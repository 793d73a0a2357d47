// Writes a log line of a call: who called what, and what came of it.
//
//   LogCall({.method = "stowage.v1.GraphService/DeleteGraph",
//            .caller = access.CallerOf(*context), .peer = context->peer(),
//            .request_id = id, .status = status, .objects = objects});
#ifndef STOWAGE_SERVER_ACCESS_CALL_LOG_H_
#define STOWAGE_SERVER_ACCESS_CALL_LOG_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "daemon/log_line.h"
#include "server/access/roles.h"

namespace stowage {

// Plain data.
struct CallRecord {
  std::string method;            // full name, without a slash in front
  std::optional<Caller> caller;  // without an identity: of plain text
  std::string peer;              // its address; empty: not known
  std::string request_id;
  absl::Status status;
  LogFields objects;  // that the call is about
};

// Returns whether a status says that the service could not do what was asked,
// and not that something was wrong with the request.
bool IsOwnFailure(absl::StatusCode code);

// Returns the fields of the line. Pure.
LogFields FieldsOf(const CallRecord& call);

// Writes the line: an error if the service failed, a warning if the caller may
// not call this. Blocks as Log() does.
void LogCall(const CallRecord& call);

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_CALL_LOG_H_
