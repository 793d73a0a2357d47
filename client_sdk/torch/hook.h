// Sees every operator once, after autograd's decomposition.
//
//   InstallHook(&job);  // from here on the job is told of every operator
//
// The hook is a boxed fallback on the dispatch key Fake. PyTorch 1.13 does not
// use this key for CPU tensors; it lies below autograd and above the backends.
// The hook runs on threads that have called EnableHookOnThread(); the allocator
// calls it on every thread that allocates.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_H_

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Reports operators to `job`, which must live until the process ends. Call it
// once.
void InstallHook(runtime::Job* job);

// Enables the hook on the calling thread. Cheap, and does nothing the second
// time or before InstallHook().
void EnableHookOnThread();

// Lets operators of a forked child pass.
void DisableHook();

// Notes that the script has made an optimizer, whose step() will end steps.
void ExpectOptimizer();

// A module with parameters is called, by no other module, while no gradients
// are recorded: its batch may begin a new step (step_marker.h).
void NoteEvaluation(int64_t module);

// Ends the step. From now on only such calls end steps.
void EndStepManually();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_H_
