// Sees operators by PyTorch's records of them, where no dispatch key is free.
//
//   WatchOperators();  // instead of a fallback (hook.h)
//
// PyTorch calls back before and after each operator that a script, autograd or
// another operator calls, on every thread. So there is one call too many for
// operators that only call others, and for all within an operator, which is the
// kernel. A callback may not throw: the next allocation of a tensor does.
// Boxes the arguments of every operator, which costs more than a fallback.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_EVENTS_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_EVENTS_H_

namespace stowage::torch_plugin {

// Reports the operators of all threads to the hook's job. Call it once, when the
// job is there.
void WatchOperators();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_OPERATOR_EVENTS_H_
