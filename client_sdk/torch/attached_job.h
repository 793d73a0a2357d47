// Finds the job of this process.
//
//   if (runtime::Job* job = AttachedJob()) job->EnterPhase("warmup");
#ifndef STOWAGE_CLIENT_SDK_TORCH_ATTACHED_JOB_H_
#define STOWAGE_CLIENT_SDK_TORCH_ATTACHED_JOB_H_

#include "client_sdk/runtime/job.h"

namespace stowage {

// Returns null where the process has not attached to an agent, and in forked
// children. A job lives until its process ends.
runtime::Job* AttachedJob();

}  // namespace stowage

#endif  // STOWAGE_CLIENT_SDK_TORCH_ATTACHED_JOB_H_
