// The kernel that runs on the calling thread.
#ifndef STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_
#define STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_

#include "client_sdk/runtime/job.h"

namespace stowage::torch_plugin {

// Null outside of operators.
RunningKernel* CurrentKernel();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_RUNNING_KERNEL_H_
