// Hooks threads that are older than the hook (hook.h).
//
//   WatchOlderThreads();  // if the script has started threads
//
// The allocator hooks a thread that allocates a tensor. One that only writes in
// place does not, and a tensor that moves meanwhile would lose what it writes.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_OLDER_THREADS_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_OLDER_THREADS_H_

namespace stowage::torch_plugin {

// Hooks every thread from its first operator on, which is a kernel already. Has
// PyTorch call back before each operator of each thread, which makes operators
// slower; so call it only if there are such threads. Call it once.
void WatchOlderThreads();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_OLDER_THREADS_H_
