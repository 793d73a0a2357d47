// Changes the limit of a running job for whoever asks for it at the socket.
//
//   if (IsResizeRequest(bytes)) {
//     const session::ResizeAnswer answer = Resize(bytes, peer, jobs, is_over);
//   }
#ifndef STOWAGE_AGENTS_JOBS_RESIZING_H_
#define STOWAGE_AGENTS_JOBS_RESIZING_H_

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "agents/jobs/admission/peer.h"
#include "agents/jobs/running_jobs.h"
#include "client_sdk/session/resize.h"

namespace stowage::agent {

// Returns whether a first message is such a request, of whatever version.
bool IsResizeRequest(absl::string_view bytes);

// Orders the limit and waits until the job has answered, for
// session::kResizePatienceNs at most, or until `is_over` says that nobody waits
// any more. A job obeys its own user, the agent's and root. The answer says
// what happened, or what is wrong with the request.
session::ResizeAnswer Resize(absl::string_view bytes, const Peer& peer,
                             const RunningJobs& jobs,
                             absl::FunctionRef<bool()> is_over);

}  // namespace stowage::agent

#endif  // STOWAGE_AGENTS_JOBS_RESIZING_H_
