// Asks a placement service to change the limit of a running job.
//
//   absl::StatusOr<v1::Resize> resize =
//       ResizeAtService(address, "node1-4711-1764000000000", limit);
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_AT_SERVICE_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_AT_SERVICE_H_

#include <string>

#include "absl/status/statusor.h"
#include "client_sdk/session/size_spec.h"
#include "stowage/v1/job.pb.h"

namespace stowage::cli {

// Returns what came of it; pending, if the job has not ended its step within a
// minute. Blocks until then, and says so on the terminal after some seconds.
// UNAVAILABLE: no service answers there, or the job's node has fallen silent.
// FAILED_PRECONDITION: the service has no such job that runs, or somebody asked
// for another limit meanwhile. INVALID_ARGUMENT: the id or the limit is out of
// bounds.
absl::StatusOr<v1::Resize> ResizeAtService(const std::string& address,
                                           const std::string& job_id,
                                           const session::Limit& limit);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_AT_SERVICE_H_
