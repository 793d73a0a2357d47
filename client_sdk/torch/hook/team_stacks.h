// Gives the threads that compute together a stack of their own for signal
// handlers (client_sdk/runtime/process/signal_stack.h), where they have been
// made before the plug-in came, or out of its sight.
//
//   GiveTeamSignalStacks();  // before a kernel that streams, or once it does
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_TEAM_STACKS_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_TEAM_STACKS_H_

namespace stowage::torch_plugin {

// Gives each thread of the caller's OpenMP team such a stack. Does nothing under
// `stowage run`, where each thread gets one as it begins, and where PyTorch has
// another OpenMP than GNU's. Blocks for some microseconds. Thread-safe.
void GiveTeamSignalStacks();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_TEAM_STACKS_H_
