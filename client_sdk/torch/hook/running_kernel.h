// Tells what the calling thread runs.
//
//   void* address = job.Allocate(CurrentKernel(), bytes);
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_RUNNING_KERNEL_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_RUNNING_KERNEL_H_

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Returns the kernel that the calling thread runs; null outside of operators.
runtime::RunningKernel* CurrentKernel();

// Returns whether another thread trains and this one has not: it loads data,
// say. Its operators run at any time, so they are no part of a step. What it
// allocates is counted but not managed, until JoinsTraining().
bool OnAuxiliaryThread();

// Returns whether what auxiliary threads hold would leave too little of the limit
// with `bytes` more. The calling thread is no longer auxiliary then: it evaluates
// a network, say.
bool JoinsTraining(int64_t bytes);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_RUNNING_KERNEL_H_
