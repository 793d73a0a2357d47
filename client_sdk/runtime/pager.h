// The one thread of ours in the training process: it brings in pages of evicted
// tensors that system calls wait for.
//
//   if (!StartPager(job, client)) ...   // then system calls fail with EFAULT
//
// The kernel raises no signal for the memory of a system call, but where
// userfaultfd(2) is allowed it lets the caller wait until the page is there.
// Whoever serves it must not be the one that waits: hence a thread.
//
// It holds no lock while it waits, and the Job's while it serves, which a fork
// waits for. A forked child has neither the thread nor anything that could wait
// for it: its tensors come from a snapshot (fork_guard.h).
#ifndef STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_
#define STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_

#include "client_sdk/runtime/job.h"
#include "client_sdk/runtime/session_client.h"

namespace stowage::runtime {

// Before the first tensor; both live until the process ends. False where the
// host does not allow it, or no tier is a file. Once.
bool StartPager(Job* job, const SessionClient& client);

}  // namespace stowage::runtime

#endif  // STOWAGE_CLIENT_SDK_RUNTIME_PAGER_H_
