// Says which calls change something, and of which objects a log line tells.
//
//   const AuditedCall* call = FindAudited("/stowage.v1.GraphService/DeleteGraph");
//   if (call != nullptr) AddObjects(*call, request, &fields);
//
// Heartbeats and telemetry, of which there are too many for a log, are not
// among them: what they change is what an agent reports of itself.
#ifndef STOWAGE_SERVER_ACCESS_AUDITED_CALLS_H_
#define STOWAGE_SERVER_ACCESS_AUDITED_CALLS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "daemon/log_line.h"
#include "google/protobuf/message.h"

namespace stowage {

struct AuditedCall {
  // Paths of the fields that name objects, like "job.job_id", in the request or
  // else in the response.
  std::vector<absl::string_view> fields;
};

// `path` is that of the call. Returns null for calls that change nothing.
const AuditedCall* FindAudited(absl::string_view path);

// Adds those of the fields that are set in `message`, the request or the
// response, and that `fields` does not have. They have the name of the last part
// of their path.
void AddObjects(const AuditedCall& call,
                const google::protobuf::Message& message, LogFields* fields);

}  // namespace stowage

#endif  // STOWAGE_SERVER_ACCESS_AUDITED_CALLS_H_
