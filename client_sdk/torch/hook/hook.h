// Sees every operator once, after autograd's decomposition.
//
//   InstallHook(FreeHookKey(), &job);  // from here on the job is told of all
//
// The hook is a boxed fallback on a dispatch key that lies below autograd and
// above the backends (hook_key.h). It runs on threads that have called
// EnableHookOnThread(); the allocator calls it on every thread that allocates.
// Where no key is free, PyTorch's records of operators tell (operator_events.h).
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_H_

#include <ATen/core/Tensor.h>
#include <c10/core/DispatchKey.h>

#include <string>

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Reports operators to `job`, which must live until the process ends. Nothing
// else may use `key`, which may be Undefined. Call it once.
void InstallHook(c10::DispatchKey key, runtime::Job* job);

// Enables the hook on the calling thread. Cheap, and does nothing where it is
// enabled or before InstallHook().
void EnableHookOnThread();

// Returns whether it is, or there is no job to report to.
bool HookedOnThread();

// Throws an error of this thread that came where nobody could catch it. The hook
// does so at the next operator, the allocator at the next tensor.
void ThrowKeptError();

// Lets operators of a forked child pass.
void DisableHook();

// Begins and ends a kernel that torch.compile has made. It takes addresses and is
// no operator, so its caller says what it reads and what it may write, too. The
// two calls come from one thread, with nothing between them but the kernel.
void BeginCompiledKernel(const std::string& name, at::TensorList reads,
                         at::TensorList writes);
void EndCompiledKernel();

// Begins and ends a call of a function of a C++ extension, which takes the
// addresses of what it is given (extension_calls.h). Calls nest. Returns false,
// and has begun nothing, within an operator, which is the kernel.
bool BeginExtensionCall(const std::string& name, at::TensorList given);
void EndExtensionCall(at::TensorList results);

// Notes that the script has waited for a collective, and has begun no kernel
// since.
void NoteCollectiveAwaited();

// Notes that the script has made an optimizer, whose step() will end steps.
void ExpectOptimizer();

// A module with parameters is called, by no other module, while no gradients
// are recorded: its batch may begin a new step (step_marker.h).
void NoteEvaluation(int64_t module);

// A graph of torch.compile is called: a forward pass whose gradients are
// recorded, or what may be a whole training step (step_marker.h).
void NoteCompiledGraph(bool records_gradients, bool with_own_results);

// Ends the step. From now on only such calls end steps.
void EndStepManually();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_H_
