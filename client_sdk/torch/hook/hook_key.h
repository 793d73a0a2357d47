// Chooses the dispatch key on which the hook sees operators.
//
//   const c10::DispatchKey key = FreeHookKey();
//
// The hook needs a key that lies below autograd and above the backends, and that
// nothing else uses. PyTorch's core may take such a key in any version, so it is
// chosen when the plug-in attaches.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_KEY_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_KEY_H_

#include <c10/core/DispatchKey.h>

namespace stowage::torch_plugin {

// Returns the first key of the known ones that has no fallback yet: Fake, which
// sees all operators, or CustomRNGKeyId, below BackendSelect, which does not see
// those that a composite kernel calls. Returns Undefined if both are taken:
// operator_events.h needs none.
c10::DispatchKey FreeHookKey();

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_HOOK_KEY_H_
