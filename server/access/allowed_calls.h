// Says which role may call what. What stands in no list is refused.
//
//   absl::Status allowed = CheckAllowed(caller, "/stowage.v1.JobService/GetJob");
//   if (!allowed.ok()) return allowed;
//   if (absl::Status s = CheckNode(caller, request.node()); !s.ok()) return s;
#ifndef STOWAGE_SERVER_ACCESS_ALLOWED_CALLS_H_
#define STOWAGE_SERVER_ACCESS_ALLOWED_CALLS_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/access/roles.h"

namespace stowage {

// `path` is that of the call: "/stowage.v1.GraphService/GetGraph".
// PERMISSION_DENIED says who called what, and which roles may.
absl::Status CheckAllowed(const Caller& caller, absl::string_view path);

// An agent speaks for its own node alone. PERMISSION_DENIED names both.
absl::Status CheckNode(const Caller& caller, absl::string_view node);

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_ALLOWED_CALLS_H_
