#include "client_sdk/torch/hook/hook_key.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace stowage::torch_plugin {

c10::DispatchKey FreeHookKey() {
  for (const c10::DispatchKey key :
       {c10::DispatchKey::Fake, c10::DispatchKey::CustomRNGKeyId}) {
    if (!c10::Dispatcher::singleton().hasBackendFallbackForDispatchKey(key)) {
      return key;
    }
  }
  return c10::DispatchKey::Undefined;
}

}  // namespace stowage::torch_plugin
