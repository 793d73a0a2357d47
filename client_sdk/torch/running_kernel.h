// What the calling thread runs.
#ifndef STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_
#define STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Null outside of operators.
runtime::RunningKernel* CurrentKernel();

// Some thread trains, and this one has not: it loads data, say. Its operators
// come whenever they like, so they are no part of a step, and what it allocates
// is counted but not managed.
bool OnAuxiliaryThread();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_
