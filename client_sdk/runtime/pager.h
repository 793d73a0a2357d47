// Runs our only thread in the training process. It brings in pages of evicted
// tensors that system calls wait for.
//
//   bool serves = StartPager(job, client);  // else system calls get EFAULT
//
// Linux raises no signal for the memory of a system call. But if the host
// allows userfaultfd(2), it lets the caller wait until the page is there.
// Another thread than the one that waits must serve the page.
//
// The thread holds no lock while it waits. While it serves, it holds the Job's,
// for which a fork waits. A forked child has neither the thread nor anything
// that could wait for it, because its tensors come from a snapshot
// (fork_guard.h).
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_

#include "client_sdk/runtime/connection/session_client.h"
#include "client_sdk/runtime/job.h"

namespace stowage::runtime {

// Starts the thread. Returns false if the host does not allow it, or if no tier
// is a file. Call it once, before the first tensor. Both arguments must live
// until the process ends.
bool StartPager(Job* job, const SessionClient& client);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_
