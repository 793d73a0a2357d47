// The hook: sees every operator once, after autograd's decomposition.
//
// A boxed fallback on the dispatch key Fake, which PyTorch 1.13 does not use on
// CPU tensors: below autograd, above the backends. It runs on threads for which
// EnableHookOnThread() was called; the allocator calls it for every thread that
// allocates.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_H_

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Operators are reported to `job`, which lives until the process ends. Once.
void InstallHook(runtime::Job* job);

// For the calling thread; cheap, idempotent. Before InstallHook it does
// nothing.
void EnableHookOnThread();

// In a forked child: operators pass through.
void DisableHook();

// The script has made an optimizer, whose step() will end steps.
void ExpectOptimizer();

// The step ends here; from now on only such calls end steps.
void EndStepManually();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_H_
