// Asks a node agent to change the limit of a running job.
//
//   absl::StatusOr<session::ResizeAnswer> answer =
//       CallForResize("/run/stowage/agent.sock", "4711", "400MiB");
#ifndef STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_CALL_H_
#define STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_CALL_H_

#include <string>

#include "absl/status/statusor.h"
#include "client_sdk/session/resize.h"

namespace stowage::cli {

// Returns what the agent answers. Blocks until the job has ended its step, for
// a good minute at most, and says so on the terminal after some seconds.
// UNAVAILABLE: no agent listens there, or it does not answer. INVALID_ARGUMENT:
// the name or the limit is too long, or the agent is of another release.
absl::StatusOr<session::ResizeAnswer> CallForResize(const std::string& socket,
                                                    const std::string& job,
                                                    const std::string& limit);

}  // namespace stowage::cli

#endif  // STOWAGE_TOOLS_STOWAGE_RUN_RESIZE_CALL_H_
