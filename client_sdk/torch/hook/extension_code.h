// Runs code of an extension that has its arguments and results on a stack.
//
//   RunExtensionCode("space::twice", op.schema(), &stack,
//                    [&] { op.redispatchBoxed(keys, &stack); });
//
// Nobody sees what such code does with its tensors, so the hook is told of the
// call (hook.h), unless there are no tensors in it. Thread-safe.
#ifndef STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CODE_H_
#define STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CODE_H_

#include <ATen/core/function_schema.h>
#include <ATen/core/stack.h>

#include <functional>
#include <string>

namespace stowage::torch_plugin {

// Calls run(), which takes the arguments from the stack and leaves the results
// there, as `schema` has them. `name` names the kernel. Throws what run() throws.
void RunExtensionCode(const std::string& name,
                      const c10::FunctionSchema& schema,
                      torch::jit::Stack* stack,
                      const std::function<void()>& run);

}  // namespace stowage::torch_plugin

#endif  // STOWAGE_CLIENT_SDK_TORCH_HOOK_EXTENSION_CODE_H_
