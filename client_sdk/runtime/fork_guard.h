// Keeps forked children (DataLoader workers) apart from the job. The arenas are
// shared memory, so a child would see the parent's later tensors; instead, its
// copies of all blocks come from a snapshot that the parent takes at the fork.
// Workers forked in a row share one snapshot. In the child the job is inert.
//
//   InstallForkGuard(job, client, [] { g_enabled = false; });
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_FORK_GUARD_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_FORK_GUARD_H_

#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/job.h"

namespace stowage::runtime {

// Registers the handlers; `in_child` runs in each child. Both objects must live
// until the process ends. Call it once.
void InstallForkGuard(Job* job, SessionClient* client, void (*in_child)());

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_FORK_GUARD_H_
